/** The messages of this session. */
import type { Scroll } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    log: LogPage;
  }
}

export interface LogPage extends Scroll {
  readonly type: "log";
  readonly id: number;
}
