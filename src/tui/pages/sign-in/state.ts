/** The aliases there are to sign in with. */
import type { ImportSource } from "../../../core/config/import.js";
import type { AliasConfig } from "../../../core/config/types.js";
import type { Update } from "../../state/actions.js";
import { LOADING, START, settle } from "../../state/stack.js";
import type { Scroll, Load, State } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    "sign-in": SignInPage;
  }
  interface PageEffects {
    "sign-in": SignInEffect;
  }
  interface PageActions {
    "sign-in": SignInAction;
  }
}

export interface AliasRow {
  readonly name: string;
  readonly url: string;
  readonly region: string;
  readonly origin: string;
  /** The other tool that has the alias, which is pail's only once it is taken. */
  readonly offer?: ImportSource | undefined;
}

export interface SignInPage extends Scroll {
  readonly type: "sign-in";
  readonly id: number;
  readonly load: Load;
  readonly aliases: readonly AliasRow[];
}

export interface NewAlias {
  readonly name: string;
  readonly config: AliasConfig;
}

export type SignInEffect =
  | { readonly type: "load-aliases"; readonly page: number }
  /** Asks for the settings of an alias in the file, to edit them. */
  | { readonly type: "edit-alias"; readonly name: string }
  | {
      readonly type: "save-alias";
      readonly dialog: number;
      readonly alias: NewAlias;
      /** The alias that is edited. */
      readonly replaces?: string | undefined;
      /** Saved without being tried. */
      readonly anyway: boolean;
    }
  /** Tries and saves an alias of another tool. */
  | {
      readonly type: "take-alias";
      readonly dialog: number;
      readonly name: string;
      readonly from: ImportSource;
    }
  | { readonly type: "remove-alias"; readonly dialog: number; readonly name: string };

export type SignInAction =
  | { readonly type: "aliases"; readonly page: number; readonly aliases: readonly AliasRow[] }
  | { readonly type: "alias-opened"; readonly name: string; readonly config: AliasConfig }
  | { readonly type: "alias-saved"; readonly dialog: number; readonly name: string }
  | { readonly type: "alias-removed"; readonly dialog: number; readonly name: string };

/** The page before anything is known. */
export function signInPage(id: number): SignInPage {
  return { type: "sign-in", id, load: LOADING, aliases: [], ...START };
}

/** Starts over with the list of aliases. */
export function openSignIn(state: State): Update {
  const id = state.nextId;
  return [
    { ...settle(state), nextId: id + 1, pages: [signInPage(id)] },
    [
      ...state.pages.map((page) => ({ type: "stop" as const, id: page.id })),
      { type: "load-aliases", page: id },
    ],
  ];
}
