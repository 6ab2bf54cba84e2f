import type { ReactNode } from "react";

import type { State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { List } from "../../view/list.js";
import { span } from "../../view/rows.js";
import type { SignInPage } from "./state.js";

/** The aliases with their endpoints. */
export function SignInView({ state, page }: { state: State; page: SignInPage }): ReactNode {
  return (
    <List
      state={state}
      at={page}
      columns={columns}
      count={page.aliases.length}
      cells={(index) => {
        const alias = page.aliases[index]!;
        return [
          span(safe(alias.name), alias.offer === undefined ? "prefix" : "dim"),
          span(safe(alias.url)),
          span(safe(alias.region), "dim"),
          span(safe(alias.origin), "dim"),
        ];
      }}
      load={page.load}
      empty={["No alias yet."]}
    />
  );
}

function columns(room: number) {
  const name = Math.min(24, Math.floor(room * 0.25));
  const region = 14;
  const origin = Math.min(26, Math.floor(room * 0.25));
  return [
    { title: "ALIAS", cells: name },
    { title: "ENDPOINT", cells: room - name - region - origin - 6 },
    { title: "REGION", cells: region },
    { title: "FROM", cells: origin },
  ];
}
