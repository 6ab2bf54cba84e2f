/** The first page: aliases to sign in with. */
import { formatCount } from "../../../text/format.js";
import { visible } from "../../../text/sanitize.js";
import { place } from "../../layout.js";
import { type Update, also } from "../../state/actions.js";
import { READY, changePage, openDialog, say } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import { span } from "../../view/rows.js";
import { openBuckets } from "../buckets/state.js";
import { currentPage, definePage, heightOf } from "../page.js";
import { openAliasForm, saveForm } from "./form.js";
import { SIGN_IN } from "./keys.js";
import { type AliasRow, type SignInPage, openSignIn } from "./state.js";
import { SignInView } from "./view.js";

export const signIn = definePage<SignInPage>({
  type: "sign-in",
  crumbs: () => ["Sign in"],
  commands: SIGN_IN,
  bar: ["new-alias", "edit-alias", "refresh"],
  footer: ["open", "new-alias", "edit-alias", "remove-alias", "switch-pane", "quit"],
  count: (_state, { aliases }) => aliases.length,
  open: (state, page) => {
    const alias = page.aliases[page.cursor];
    if (alias === undefined) return [state, []];
    return alias.offer === undefined ? openBuckets(state, alias.name) : offer(state, alias);
  },
  refresh: (state, { id }) => [state, [{ type: "load-aliases", page: id }]],
  resume: (state, { id }) => [state, [{ type: "load-aliases", page: id }]],
  forms: { alias: saveForm },
  confirms: {
    "remove-alias": (state, { name }, { id }) => [
      state,
      [{ type: "remove-alias", dialog: id, name }],
    ],
    "take-alias": (state, { name, from }, { id }) => [
      say(state, "info", `Trying ${name}`),
      [{ type: "take-alias", dialog: id, name, from }],
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
  pane: true,
  body: SignInView,
  status: (_state, { aliases }) => {
    const offered = aliases.filter(({ offer }) => offer !== undefined).length;
    return {
      left: [
        span(formatCount(aliases.length - offered, "alias", "aliases"), "dim"),
        offered > 0 ? span(`${offered} offered from other tools`, "dim") : undefined,
      ],
      right: [],
    };
  },
});

/** Asks whether an alias of another tool is to become one of pail's. */
function offer(state: State, { name, url, origin, offer: from }: AliasRow): Update {
  if (from === undefined) return [state, []];
  return openDialog(state, (id) => ({
    type: "confirm",
    id,
    title: `Sign in with ${visible(name)}?`,
    lines: [
      visible(url),
      visible(`From ${origin}, which stays as it is.`),
      "It is tried, then kept in pail's config file.",
    ],
    typed: "",
    accept: "Sign in",
    danger: false,
    focus: "accept",
    purpose: { type: "take-alias", name, from },
  }));
}
