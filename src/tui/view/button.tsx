/** A button in a dialog. */
import type { ReactNode } from "react";

import type { Look, StyleName } from "../theme.js";
import { Say, Target } from "./parts.js";

/** A button of a dialog; without color, brackets show the focus. */
export function Button(props: {
  readonly look: Look;
  readonly label: string;
  readonly focused: boolean;
  /** Its place among the items of the dialog, for clicks. */
  readonly index: number;
  readonly kind?: "danger" | "disabled" | undefined;
}): ReactNode {
  const { look, label, focused, index, kind } = props;
  const plain = look.theme === "mono" || look.colors === 0;
  const focus: StyleName = kind === "danger" ? "dangerFocus" : "buttonFocus";
  const style = kind === "disabled" ? kind : focused ? focus : (kind ?? "button");
  return (
    <Target click={{ type: "item", index }} flexShrink={0}>
      <Say as={style}>{focused && plain ? `[ ${label} ]` : `  ${label}  `}</Say>
    </Target>
  );
}
