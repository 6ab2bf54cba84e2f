/** The messages of this session. */
import type { Cursor } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    log: LogPage;
  }
}

export interface LogPage extends Cursor {
  readonly type: "log";
  readonly id: number;
}
