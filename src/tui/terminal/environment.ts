/** The facts that the environment tells about the terminal, before anything is drawn. */
import { pictureProtocol } from "../picture/protocol.js";
import type { ColorLevel, Look, ThemeName } from "../theme.js";

/** Colors a terminal can show. */
export function colorLevel(env: NodeJS.ProcessEnv): ColorLevel {
  const term = env["TERM"] ?? "";
  if (/truecolor|24bit/i.test(env["COLORTERM"] ?? "") || env["WT_SESSION"]) return 3;
  if (/-direct$|kitty|ghostty|alacritty/.test(term)) return 3;
  return /256/.test(term) ? 2 : 1;
}

/** The look that settings (`tui.theme`, `tui.ascii`) and the environment ask for. */
export function lookOf(
  env: NodeJS.ProcessEnv,
  settings: Readonly<Record<string, unknown>> | undefined,
): Look & { readonly auto: boolean } {
  const asked = settings?.["theme"];
  const named = asked === "dark" || asked === "light" || asked === "mono" ? asked : undefined;
  const theme: ThemeName = env["NO_COLOR"] ? "mono" : (named ?? backgroundHint(env) ?? "dark");
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const ascii = settings?.["ascii"];
  return {
    theme,
    ascii:
      typeof ascii === "boolean" ? ascii : !/utf-?8/i.test(locale) && process.platform !== "win32",
    colors: colorLevel(env),
    pictures: env["NO_COLOR"] ? undefined : pictureProtocol(env),
    // The terminal's own answer about its background is of use only then.
    auto: !env["NO_COLOR"] && named === undefined,
  };
}

/** `COLORFGBG=15;0`: some terminals say which palette entries are their colors. */
function backgroundHint(env: NodeJS.ProcessEnv): ThemeName | undefined {
  const last = env["COLORFGBG"]?.split(";").at(-1);
  if (last === undefined || !/^\d+$/.test(last)) return undefined;
  const color = Number(last);
  return color === 7 || color > 8 ? "light" : "dark";
}
