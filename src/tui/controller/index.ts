/**
 * Carries out effects by calling the core. Each effect runs on its own; the effects of a page or a
 * dialog are aborted together when it is left, and a job when it is canceled.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Effect } from "../state/actions.js";
import { LOADERS } from "../pages/loaders.js";
import { answer } from "./ask.js";
import { clipboard, copyLinks } from "./clipboard.js";
import { count } from "./count.js";
import { type Deps, type Handler, failureOf } from "./deps.js";
import { startJob } from "./jobs.js";
import { keepJobs } from "./left.js";
import { remember } from "./memory.js";
import { editOutside, showOutside } from "./outside.js";

export interface Controller {
  perform(effect: Effect): void;
  /** Aborts everything and resolves once nothing runs: unfinished uploads are aborted by then. */
  close(): Promise<void>;
}

type Handlers = {
  readonly [
    T in Exclude<Effect["type"], "stop" | "cancel-job" | "quit" | "suspend" | "redraw">
  ]: Handler<T>;
};

const HANDLERS: Handlers = {
  ...LOADERS,
  count,
  answer,
  "start-job": startJob,
  "keep-jobs": keepJobs,
  drop: ({ dispatch }, { target, paths }) => {
    // Any other text that is pasted means nothing on a page.
    if (paths.every((path) => existsSync(path))) dispatch({ type: "dropped", target, paths });
  },
  "copy-links": copyLinks,
  clipboard,
  remember,
  "show-outside": showOutside,
  "edit-outside": editOutside,
};

/** Makes the controller of one console. */
export function createController(options: Omit<Deps, "latest" | "scratch">): Controller {
  const turns = new Map<string, AbortController>();
  let scratch: string | undefined;
  const deps: Deps = {
    ...options,
    scratch: () => (scratch ??= mkdtempSync(join(tmpdir(), "pail-console-"))),
    latest: (name) => {
      turns.get(name)?.abort();
      const turn = new AbortController();
      turns.set(name, turn);
      return turn.signal;
    },
  };
  const running = new Map<number, AbortController>();
  const tasks = new Set<Promise<void>>();

  const scope = (id: number) => {
    const known = running.get(id);
    if (known !== undefined) return known.signal;
    const made = new AbortController();
    running.set(id, made);
    return made.signal;
  };
  const stop = (id: number) => {
    running.get(id)?.abort();
    running.delete(id);
  };
  const run = async (effect: Parameters<Handlers[keyof Handlers]>[1], signal: AbortSignal) => {
    try {
      const handler = HANDLERS[effect.type] as Handler<Effect["type"]>;
      await handler(deps, effect, signal);
    } catch (error) {
      if (!signal.aborted) report(deps, effect, error);
    }
  };

  return {
    perform: (effect) => {
      if (effect.type === "quit") deps.quit();
      else if (effect.type === "suspend") deps.suspend();
      else if (effect.type === "redraw") deps.redraw();
      else if (effect.type === "stop") stop(effect.id);
      else if (effect.type === "cancel-job") stop(effect.job);
      else {
        const task = run(effect, scope(ownerOf(effect)));
        tasks.add(task);
        void task.finally(() => tasks.delete(task));
      }
    },
    close: async () => {
      for (const id of running.keys()) stop(id);
      await Promise.allSettled(tasks);
      if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** The owner of an effect, which ends when its owner is left; 0 is the console itself. */
function ownerOf(effect: Effect): number {
  if ("page" in effect) return effect.page;
  if ("dialog" in effect) return effect.dialog;
  return "job" in effect ? effect.job : 0;
}

function report(deps: Deps, effect: Effect, error: unknown): void {
  const failure = failureOf(error);
  if ("dialog" in effect) {
    deps.dispatch({ type: "dialog-failed", dialog: effect.dialog, failure });
  } else if (!("page" in effect)) {
    deps.dispatch({ type: "notice", tone: "error", text: `${failure.code}: ${failure.message}` });
  } else deps.dispatch({ type: "page-failed", page: effect.page, failure });
}
