/** The first page: aliases to sign in with. */
import { place } from "../../layout.js";
import { also } from "../../state/actions.js";
import { READY, changePage, say } from "../../state/stack.js";
import { span } from "../../view/rows.js";
import { openBuckets } from "../buckets/state.js";
import { currentPage, definePage, heightOf } from "../page.js";
import { openAliasForm, saveForm } from "./form.js";
import { SIGN_IN } from "./keys.js";
import { type SignInPage, openSignIn } from "./state.js";
import { SignInView } from "./view.js";

export const signIn = definePage<SignInPage>({
  type: "sign-in",
  crumbs: () => ["Sign in"],
  commands: SIGN_IN,
  bar: ["new-alias", "edit-alias", "refresh"],
  footer: ["open", "new-alias", "edit-alias", "remove-alias", "focus-bar", "quit"],
  count: (_state, { aliases }) => aliases.length,
  open: (state, page) => {
    const alias = page.aliases[page.cursor];
    return alias === undefined ? [state, []] : openBuckets(state, alias.name);
  },
  refresh: (state, { id }) => [state, [{ type: "load-aliases", page: id }]],
  resume: (state, { id }) => [state, [{ type: "load-aliases", page: id }]],
  forms: { alias: saveForm },
  confirms: {
    "remove-alias": (state, { name }, { id }) => [
      state,
      [{ type: "remove-alias", dialog: id, name }],
    ],
  },
  answers: {
    aliases: (state, action) => [
      changePage(state, action.page, "sign-in", (page) => {
        const { aliases } = action;
        const at = place(page, page.cursor, aliases.length, heightOf(state, page));
        return { ...page, load: READY, aliases, ...at };
      }),
      [],
    ],
    "alias-opened": (state, { name, config }) =>
      currentPage(state).type === "sign-in" ? openAliasForm(state, name, config) : [state, []],
    "alias-saved": (state, { name }) => also(openSignIn(state), (next) => openBuckets(next, name)),
    "alias-removed": (state, { name }) => [
      say(state, "success", `Forgot ${name}`),
      [{ type: "load-aliases", page: currentPage(state).id }],
    ],
  },
  body: SignInView,
  status: (_state, { aliases }) => ({
    left: [span(`${aliases.length} ${aliases.length === 1 ? "alias" : "aliases"}`, "dim")],
    right: [],
  }),
});
