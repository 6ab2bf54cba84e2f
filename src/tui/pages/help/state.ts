/** The keys of the page it was opened from. */

declare module "../../state/types.js" {
  interface Pages {
    help: HelpPage;
  }
}
export interface HelpPage {
  readonly type: "help";
  readonly id: number;
  readonly top: number;
  readonly lines: readonly HelpLine[];
}

/** A heading, or keys and what they do; a reason when it cannot be done now. */
export interface HelpLine {
  readonly heading?: string | undefined;
  readonly keys?: string | undefined;
  readonly title?: string | undefined;
  readonly reason?: string | undefined;
}
