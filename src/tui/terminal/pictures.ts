/**
 * Pictures that the terminal itself draws, over cells that hold spaces. It gets a PNG of pail's own
 * making, in base64: no byte of an object reaches it, and no more than fit the cells.
 * https://sw.kovidgoyal.net/kitty/graphics-protocol, https://iterm2.com/documentation-images.html
 */
import type { CellPicture, PictureProtocol } from "../picture/protocol.js";
import { width } from "../text/cells.js";
import type { Row } from "../view/rows.js";

/** Bytes of base64 in one sequence at most, by kitty's rule. */
const CHUNK = 4096;
const ID = 7;
const FORGET = `\u001B_Ga=d,d=I,i=${ID},q=2\u001B\\`;

export interface Pictures {
  /** Takes a picture off the screen that these rows do not have, before they are painted. */
  clear(rows: readonly Row[]): void;
  /** Shows the picture of the rows, once they are painted. */
  show(rows: readonly Row[]): void;
  /** Takes it off the screen in any case. */
  forget(): void;
}

/** Shows at most one picture. `repaint` has the next frame painted whole, over what was drawn. */
export function createPictures(
  protocol: PictureProtocol,
  write: (data: string) => void,
  repaint: () => void,
): Pictures {
  let shown: string | undefined;
  let bytes: Uint8Array | undefined;
  const forget = () => {
    if (shown === undefined) return;
    [shown, bytes] = [undefined, undefined];
    if (protocol === "kitty") write(FORGET);
    else repaint();
  };
  return {
    forget,
    clear: (rows) => {
      const found = placed(rows);
      if (found?.where !== shown || found?.png !== bytes) forget();
    },
    show: (rows) => {
      const found = placed(rows);
      if (found === undefined || shown !== undefined) return;
      [shown, bytes] = [found.where, found.png];
      write(found.where + (protocol === "kitty" ? forKitty(found) : forIterm(found)));
    },
  };
}

/** The picture in the rows, and the sequence that goes to its first cell. */
function placed(rows: readonly Row[]): (CellPicture & { readonly where: string }) | undefined {
  for (const [y, row] of rows.entries()) {
    const at = row.findIndex(({ picture }) => picture !== undefined);
    if (at < 0) continue;
    const x = row.slice(0, at).reduce((sum, { text }) => sum + width(text), 0);
    return { ...row[at]!.picture!, where: `\u001B[${y + 1};${x + 1}H` };
  }
  return undefined;
}

function forKitty({ png, columns, rows }: CellPicture): string {
  const data = Buffer.from(png).toString("base64");
  let out = "";
  for (let at = 0; at < data.length; at += CHUNK) {
    const first = at === 0 ? `a=T,f=100,i=${ID},c=${columns},r=${rows},C=1,` : "";
    const more = at + CHUNK < data.length ? 1 : 0;
    out += `\u001B_G${first}q=2,m=${more};${data.slice(at, at + CHUNK)}\u001B\\`;
  }
  return out;
}

function forIterm({ png, columns, rows }: CellPicture): string {
  const facts = `inline=1;size=${png.length};width=${columns};height=${rows}`;
  const data = Buffer.from(png).toString("base64");
  return `\u001B]1337;File=${facts};preserveAspectRatio=1;doNotMoveCursor=1:${data}\u0007`;
}
