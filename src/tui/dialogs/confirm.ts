/** Questions asked before anything is destroyed, and what follows from yes. */
import { formatSize } from "../../text/format.js";
import { visible } from "../../text/sanitize.js";
import type { Update } from "../state/actions.js";
import { running } from "../state/running.js";
import { openDialog } from "../state/stack.js";
import type { ConfirmDialog, JobSpec, State } from "../state/types.js";

/** Names shown before the rest is only counted. */
const NAMED = 6;

/** Asks before a removal; what prefixes hold is counted while the question stands. */
export function confirmJob(state: State, spec: Extract<JobSpec, { type: "remove" }>): Update {
  const { from, targets } = spec;
  const names = targets.slice(0, NAMED).map(({ key, size, type, versionId }) => {
    const version = versionId === undefined ? "" : ` version ${versionId}`;
    const detail =
      type === "prefix" ? "everything below" : size === undefined ? "" : formatSize(size);
    return `${visible(key)}${version}${detail === "" ? "" : `  ${detail}`}`;
  });
  const more = targets.length - names.length;
  const counted = targets.every(({ type }) => type === "object");
  return openDialog(
    state,
    (id) => ({
      type: "confirm",
      id,
      title: `Delete from ${visible(`${from.alias}/${from.bucket}`)}?`,
      lines: more > 0 ? [...names, `and ${more} more`] : names,
      count: {
        objects: counted ? targets.length : 0,
        bytes: counted ? targets.reduce((sum, { size = 0 }) => sum + size, 0) : 0,
        done: counted,
      },
      accept: "Delete",
      danger: true,
      focus: "cancel",
      purpose: { type: "run", spec },
    }),
    ...(counted
      ? []
      : [{ type: "count" as const, dialog: state.nextId, from, targets, versions: false }]),
  );
}

/** Asks before a bucket goes; one that is not empty is counted, versions and all. */
export function confirmBucket(state: State, alias: string, bucket: string): Update {
  return openDialog(
    state,
    (id) => ({
      type: "confirm",
      id,
      title: `Remove the bucket ${visible(`${alias}/${bucket}`)}?`,
      lines: [],
      count: { objects: 0, bytes: 0, done: false },
      accept: "Remove",
      danger: true,
      focus: "cancel",
      purpose: { type: "remove-bucket", alias, bucket },
    }),
    {
      type: "count",
      dialog: state.nextId,
      from: { alias, bucket, prefix: "" },
      targets: [{ type: "prefix", key: "" }],
      versions: true,
    },
  );
}

/** Asks before an upload replaces what is there. */
export function confirmReplace(state: State, spec: JobSpec, existing: readonly string[]): Update {
  const names = existing.slice(0, NAMED).map((key) => visible(key));
  const more = existing.length - names.length;
  return openDialog(state, (id) => ({
    type: "confirm",
    id,
    title: existing.length === 1 ? "Replace an object?" : `Replace ${existing.length} objects?`,
    lines: ["These keys are there already:", ...names, ...(more > 0 ? [`and ${more} more`] : [])],
    accept: "Replace",
    danger: true,
    focus: "cancel",
    purpose: { type: "run", spec },
  }));
}

/** Quits, after asking when transfers still run. */
export function quit(state: State): Update {
  const jobs = running(state);
  const asked = state.dialog?.type === "confirm" && state.dialog.purpose.type === "quit";
  if (jobs.length === 0 || asked) return [state, [{ type: "quit" }]];
  return openDialog(state, (id) => ({
    type: "confirm",
    id,
    title: jobs.length === 1 ? "A transfer is running" : `${jobs.length} transfers are running`,
    lines: [...jobs.slice(0, NAMED).map(({ title }) => title), "Quitting cancels them."],
    accept: "Quit",
    danger: true,
    focus: "cancel",
    purpose: { type: "quit" },
  }));
}

/** Why a confirmation cannot be accepted yet. */
export function undecidable({ count }: ConfirmDialog): string | undefined {
  // A count that failed does not stand in the way: the service says no itself if it must.
  return count === undefined || count.done || count.failure ? undefined : "still counting";
}
