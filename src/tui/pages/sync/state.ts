/** The preview of a sync: all that it would do, before it is done. */
import type { PlanItem } from "../../../core/sync/plan.js";
import type { Tallies } from "../../../core/sync/summary.js";
import { visible } from "../../../text/sanitize.js";
import { field, openForm } from "../../dialogs/form.js";
import type { Update } from "../../state/actions.js";
import { placeBeside } from "../../state/panes.js";
import { LOADING, START, addressOf, push } from "../../state/stack.js";
import type { Load, Scroll, ShownFailure, State } from "../../state/types.js";
import { type Command, currentPage } from "../page.js";

declare module "../../state/types.js" {
  interface Pages {
    sync: SyncPage;
  }
  interface PageEffects {
    sync: SyncEffect;
  }
  interface PageActions {
    sync: SyncAction;
  }
}

/** The two places as a person types them, and whether what only the target has goes. */
export interface SyncOf {
  readonly from: string;
  readonly to: string;
  readonly remove: boolean;
}

/** The plan, once the two places were compared. */
export interface Planned {
  /** The first of them, in about the order of the names, removals last. */
  readonly items: readonly PlanItem[];
  /** Undefined until all is compared. */
  readonly total?: Tallies | undefined;
  /** The plan's file; undefined when it cannot be carried out. */
  readonly plan?: string | undefined;
  /** Why it cannot be. */
  readonly failure?: ShownFailure | undefined;
}

export interface SyncPage extends Scroll, SyncOf, Planned {
  readonly type: "sync";
  readonly id: number;
  readonly load: Load;
}

export type SyncEffect = SyncOf & { readonly type: "plan-sync"; readonly page: number };

export type SyncAction = Planned & { readonly type: "sync-planned"; readonly page: number };

/** Opens the page and begins to compare. */
export function openSync(state: State, { from, to, remove }: SyncOf): Update {
  const id = state.nextId;
  const page: SyncPage = { type: "sync", id, from, to, remove, load: LOADING, items: [], ...START };
  return push(state, page, { type: "plan-sync", page: id, from, to, remove });
}

/** Asks with what this place is to be made equal; on pages of a bucket and of files. */
export const SYNC: Command = {
  id: "sync",
  title: "Make another place like this one, after a look at what that does",
  short: "sync",
  run: (state) => {
    const page = currentPage(state);
    if (page.type !== "objects" && page.type !== "picker") return [state, []];
    const from = page.type === "objects" ? addressOf(page) : page.directory;
    return openForm(state, {
      title: "Make another place like this one",
      intro: `From ${visible(from)}`,
      purpose: { type: "sync", from },
      fields: [
        field("to", "To", placeBeside(state) ?? "", {
          note: "alias/bucket/prefix/ or a directory: /path, ./path, ~/path",
        }),
        field("extra", "Anything extra there", KEEPS[0], { kind: "choice", choices: KEEPS }),
      ],
      buttons: ["Compare"],
    });
  },
};

export const KEEPS = ["stays", "is removed"] as const;
