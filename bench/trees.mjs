/**
 * Trees of files to send and to fetch: many of one size, a real source tree's names and sizes, and
 * what a photo library has. The null server lists the same names and sizes from a file.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { writeFileSync, writeSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const KiB = 1024;
const MiB = 1024 * KiB;
const PACKAGES = fileURLToPath(new URL("../node_modules", import.meta.url));

/** Each with its bucket's name, what a row calls it, and `{name, size}` of its files. */
export const trees = [
  { bucket: "mid-64k", title: "2000 × 64 KiB", files: () => alike(2_000, 64 * KiB) },
  { bucket: "mid-1m", title: "256 × 1 MiB", files: () => alike(256, MiB) },
  { bucket: "mid-16m", title: "32 × 16 MiB", files: () => alike(32, 16 * MiB) },
  { bucket: "source", title: "source tree, 4000 files", files: sourceTree },
  { bucket: "photos", title: "photo library, 206 files", files: photos },
];

/** Writes a tree's files below `dir` and its listing to `list`; gives its files and bytes. */
export function writeTree(tree, dir, list) {
  const files = tree.files();
  let bytes = 0;
  const block = Buffer.alloc(MiB, "0123456789abcdef");
  for (const { name, size } of files) {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, "w");
    for (let left = size; left > 0; left -= MiB) writeSync(file, block, 0, Math.min(left, MiB));
    ftruncateSync(file, size);
    closeSync(file);
    bytes += size;
  }
  const lines = files.map(({ name, size }) => Buffer.from(`data/${name}\t${size}\n`));
  writeFileSync(list, Buffer.concat(lines.sort((a, b) => Buffer.compare(a, b))));
  return { count: files.length, bytes };
}

function alike(count, size) {
  return Array.from({ length: count }, (_, i) => ({
    name: `part-${String(i).padStart(6, "0")}`,
    size,
  }));
}

/** Every fifth file of the packages that this program is built with, up to 4,000. */
function sourceTree() {
  const all = readdirSync(PACKAGES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const some = all.filter((_, i) => i % 5 === 0).slice(0, 4_000);
  return some.map((path) => ({ name: relative(PACKAGES, path), size: statSync(path).size }));
}

/** A hundred pictures of 2 to 9 MiB, each with a note of 4 KiB beside it, and six films of 60 MiB. */
function photos() {
  const pictures = Array.from({ length: 100 }, (_, i) => [
    { name: `2024/${(i % 12) + 1}/IMG_${1000 + i}.jpg`, size: 2 * MiB + ((i * 7919) % 7168) * KiB },
    { name: `2024/${(i % 12) + 1}/IMG_${1000 + i}.xmp`, size: 4 * KiB },
  ]);
  const films = Array.from({ length: 6 }, (_, i) => ({
    name: `2024/MOV_${i}.mp4`,
    size: 60 * MiB,
  }));
  return [...pictures.flat(), ...films];
}
