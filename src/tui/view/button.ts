/** A button in a dialog. */
import type { State } from "../state/types.js";
import { span, type Span } from "./rows.js";

/** A button of a dialog; without color, brackets show the focus. */
export function button(
  state: State,
  label: string,
  focused: boolean,
  style: "button" | "danger" | "disabled",
  focusStyle: "buttonFocus" | "dangerFocus" | "disabled",
  index: number,
): Span {
  const text = focused && state.look.theme === "mono" ? `[ ${label} ]` : `  ${label}  `;
  return span(text, focused ? focusStyle : style, { type: "item", index });
}
