/**
 * A thread of its own for pictures: decoding takes long enough to hold up keys, and its input
 * comes from strangers. Posts a picture, or undefined when there is none to be made.
 */
import { parentPort, workerData } from "node:worker_threads";

import { type PictureRoom, decodePicture } from "./decode.js";
import type { Picture } from "./scale.js";

export interface PictureJob {
  readonly bytes: Uint8Array;
  readonly room: PictureRoom;
}

const { bytes, room } = workerData as PictureJob;
let picture: Picture | undefined;
try {
  picture = decodePicture(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), room);
} catch {
  // Broken or too large: the preview shows its bytes instead.
}
parentPort?.postMessage(picture, picture === undefined ? [] : [picture.rgb.buffer as ArrayBuffer]);
