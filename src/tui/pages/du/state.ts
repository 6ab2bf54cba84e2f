/** The size of a place: the sum of all below it, by its children. */
import type { Update } from "../../state/actions.js";
import { LOADING, START, push } from "../../state/stack.js";
import type { Scroll, Load, PrefixRef, State } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    du: DuPage;
  }
  interface PageEffects {
    du: DuEffect;
  }
  interface PageActions {
    du: DuAction;
  }
}

export interface Usage {
  /** Relative to the place; ends with `/` for what is below a prefix. */
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
}

export interface DuPage extends Scroll, PrefixRef {
  readonly type: "du";
  readonly id: number;
  readonly load: Load;
  /** Largest first. */
  readonly rows: readonly Usage[];
}

export type DuEffect = {
  readonly type: "measure";
  readonly page: number;
  readonly place: PrefixRef;
};

export type DuAction = {
  readonly type: "measured";
  readonly page: number;
  readonly rows: readonly Usage[];
  readonly done: boolean;
};

/** Opens the page for a place and begins to add up. */
export function openDu(state: State, place: PrefixRef): Update {
  const id = state.nextId;
  const page: DuPage = { type: "du", id, ...place, load: LOADING, rows: [], ...START };
  return push(state, page, { type: "measure", page: id, place });
}

/** All of it together. */
export function total({ rows }: DuPage): Usage {
  const sum = { objects: 0, bytes: 0 };
  for (const { objects, bytes } of rows) {
    sum.objects += objects;
    sum.bytes += bytes;
  }
  return { name: "", ...sum };
}
