/** Signing in, editing and forgetting an alias. */
import { visible } from "../../../text/sanitize.js";
import { openDialog, pageOf } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import type { Command } from "../page.js";
import { openAliasForm } from "./form.js";
import type { AliasRow } from "./state.js";

export const SIGN_IN: readonly Command[] = [
  {
    id: "new-alias",
    title: "Sign in to another endpoint",
    short: "new alias",
    bar: "New alias",
    run: (state) => openAliasForm(state),
  },
  {
    id: "edit-alias",
    title: "Edit the alias",
    short: "edit",
    bar: "Edit",
    disabled: unsaved,
    run: (state) => {
      const name = aliasUnder(state)?.name;
      return [state, name === undefined ? [] : [{ type: "edit-alias", name }]];
    },
  },
  {
    id: "remove-alias",
    title: "Forget the alias",
    short: "forget",
    disabled: unsaved,
    run: (state) => {
      const name = aliasUnder(state)?.name;
      if (name === undefined) return [state, []];
      return openDialog(state, (id) => ({
        type: "confirm",
        id,
        title: `Forget the alias ${visible(name)}?`,
        lines: ["Its endpoint and its keys are taken out of the config file.", "Buckets stay."],
        typed: "",
        accept: "Forget",
        danger: true,
        focus: "cancel",
        purpose: { type: "remove-alias", name },
      }));
    },
  },
];

function aliasUnder(state: State): AliasRow | undefined {
  const page = pageOf(state, "sign-in");
  return page?.aliases[page.cursor];
}

/** Why an alias cannot be changed: only those of the config file can. */
function unsaved(state: State): string | undefined {
  const alias = aliasUnder(state);
  if (alias === undefined) return "nothing is selected";
  if (alias.offer !== undefined) return "it is another tool's; Enter takes it";
  return /config/.test(alias.origin) ? undefined : `it comes from ${alias.origin}`;
}
