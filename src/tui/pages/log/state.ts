/** The messages of this session. */
import type { Cursor } from "../../state/types.js";

export interface LogPage extends Cursor {
  readonly type: "log";
  readonly id: number;
}
