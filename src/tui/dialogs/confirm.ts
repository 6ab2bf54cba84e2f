/** Questions asked before anything is destroyed, and what follows from yes. */
import { formatNumber, formatSize } from "../../text/format.js";
import { visible } from "../../text/sanitize.js";
import type { Update } from "../state/actions.js";
import { running } from "../state/running.js";
import { openDialog } from "../state/stack.js";
import { firstOf, hasVersion, sumOf } from "../state/targets.js";
import type { ConfirmDialog, JobSpec, State } from "../state/types.js";

/** Names shown before the rest is only counted. */
export const NAMED = 6;

/** Asks before a removal; the objects below prefixes are counted while the question stands. */
export function confirmJob(
  state: State,
  spec: Extract<JobSpec, { type: "remove" }>,
  instead?: number,
): Update {
  const { from, targets } = spec;
  const names = firstOf(targets, NAMED).map(({ key, size, type, versionId }) => {
    const version = versionId === undefined ? "" : ` version ${versionId}`;
    const detail =
      type === "prefix" ? "everything below" : size === undefined ? "" : formatSize(size);
    return `${visible(key)}${version}${detail === "" ? "" : `  ${detail}`}`;
  });
  const more = targets.length - names.length;
  return openDialog(
    state,
    (id) => ({
      type: "confirm",
      id,
      title: `Delete from ${visible(`${from.alias}/${from.bucket}`)}?`,
      lines: more > 0 ? [...names, `and ${formatNumber(more)} more`] : names,
      count: { ...sumOf(targets), done: false },
      name: targets.length === 1 ? firstOf(targets, 1)[0]!.key : from.bucket,
      typed: "",
      accept: "Delete",
      danger: true,
      focus: "cancel",
      purpose: { type: "run", spec, instead },
    }),
    { type: "count", dialog: state.nextId, from, targets, versions: false },
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
      name: bucket,
      typed: "",
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

/** Quits, after asking when transfers still run. */
export function quit(state: State): Update {
  const jobs = running(state);
  const asked = state.dialog?.type === "confirm" && state.dialog.purpose.type === "quit";
  if (jobs.length === 0 || asked) return [state, [{ type: "quit" }]];
  return openDialog(state, (id) => ({
    type: "confirm",
    id,
    title: jobs.length === 1 ? "A transfer is running" : `${jobs.length} transfers are running`,
    lines: [
      ...jobs.slice(0, NAMED).map(({ title }) => title),
      "Quitting stops them; the next console can go on.",
    ],
    typed: "",
    accept: "Quit",
    danger: true,
    focus: "cancel",
    purpose: { type: "quit" },
  }));
}

/** The name must be typed to remove more objects than this; for a bucket, to remove any. */
const UNTYPED = 1000;

/** The name to type before the question can be accepted; undefined when none is needed. */
export function nameToType({ count, name, purpose }: ConfirmDialog): string | undefined {
  const most = purpose.type === "remove-bucket" ? 0 : UNTYPED;
  // A count that failed may be any number.
  const many = count?.done === true && count.objects > most;
  return many || count?.failure !== undefined ? name : undefined;
}

/** Why a confirmation cannot be accepted yet. */
export function undecidable(dialog: ConfirmDialog): string | undefined {
  const { count, typed } = dialog;
  if (count !== undefined && !count.done && count.failure === undefined) return "still counting";
  const wanted = nameToType(dialog);
  return wanted === undefined || typed === wanted ? undefined : "type the name first";
}

/** The sentence that says what becomes of the deleted objects. */
export function fate({ purpose, count }: ConfirmDialog): string | undefined {
  if (purpose.type !== "run" || purpose.spec.type !== "remove" || !count?.done) return undefined;
  if (hasVersion(purpose.spec.targets)) return "A version goes for good.";
  if (count.keeps === "versions") return "Each gets a delete marker and can be brought back.";
  if (count.keeps === "nothing") return "For good: this bucket keeps no versions.";
  return "Maybe for good: the service does not say whether it keeps versions.";
}
