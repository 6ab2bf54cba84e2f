/** Asks a person what becomes of an object or a file that is there already. */
import type { Conflict, ExistsAction, IfExists } from "../../core/operations/types.js";
import type { Deps, Handler } from "./deps.js";

interface Asking {
  /** Resolves the question that is open. */
  answer?: ((action: ExistsAction) => void) | undefined;
  /** The answer that was given for all later questions. */
  always?: ExistsAction | undefined;
  /** The end of the question before, since questions are asked one at a time. */
  last: Promise<unknown>;
}

const asking = new Map<number, Asking>();

/** The question of a job: asked one at a time, until one answer is given for all. */
export function askAbout({ dispatch, context }: Deps, job: number, signal: AbortSignal): IfExists {
  const state: Asking = asking.get(job) ?? { last: Promise.resolve() };
  if (!asking.has(job)) {
    asking.set(job, state);
    signal.addEventListener("abort", () => state.answer?.("fail"), { once: true });
  }
  const ask = (conflict: Conflict) =>
    new Promise<ExistsAction>((resolve) => {
      if (state.always !== undefined) return resolve(state.always);
      if (signal.aborted) return resolve("fail");
      state.answer = resolve;
      dispatch({ type: "asked", job, conflict });
    });
  return (conflict) => {
    const answer = state.last.then(async () =>
      ask(state.always === undefined ? await withDate(context, conflict) : conflict),
    );
    state.last = answer;
    return answer;
  };
}

/** The conflict with the source's date, which a copy of one object has no need to ask for. */
async function withDate(context: Deps["context"], conflict: Conflict): Promise<Conflict> {
  const { source, sourceInfo } = conflict;
  if (source.type !== "object" || sourceInfo.lastModified !== undefined) return conflict;
  try {
    const storage = await context.bucket(source.alias, source.bucket);
    const { versionId } = source;
    const { size, lastModified } = await storage.stat(source.key, { versionId });
    return { ...conflict, sourceInfo: { size, lastModified } };
  } catch {
    // The question can be answered without the date; the copy itself says what is wrong.
    return conflict;
  }
}

/** Hands a person's answer to the job that asked. */
export const answer: Handler<"answer"> = (_deps, { job, action, always }) => {
  const state = asking.get(job);
  if (state === undefined) return;
  if (always) state.always = action;
  const { answer: give } = state;
  state.answer = undefined;
  give?.(action);
};

/** Forgets the questions of a job that has ended. */
export function forget(job: number): void {
  asking.delete(job);
}
