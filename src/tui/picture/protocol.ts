/** Terminals that draw pictures themselves. */

export type PictureProtocol = "kitty" | "iterm2";

/** A picture, by the cells it takes. */
export interface CellPicture {
  readonly png: Uint8Array;
  readonly columns: number;
  readonly rows: number;
}

/** How the terminal takes pictures, as far as it says so; not through what divides a terminal. */
export function pictureProtocol(env: NodeJS.ProcessEnv): PictureProtocol | undefined {
  const [term = "", program = ""] = [env["TERM"], env["TERM_PROGRAM"]];
  if (env["TMUX"] || env["STY"] || env["ZELLIJ"] || /^(?:tmux|screen)/.test(term)) return undefined;
  if (env["KITTY_WINDOW_ID"] || /kitty|ghostty/.test(`${term} ${program}`)) return "kitty";
  const known = program === "iTerm.app" || program === "WezTerm" || env["LC_TERMINAL"] === "iTerm2";
  return known ? "iterm2" : undefined;
}
