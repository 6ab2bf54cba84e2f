/** Six shapes of keys that real buckets have; none of them shows where to cut. */
import { createHash } from "node:crypto";

import { compareKeys } from "../../../../../src/core/storage/key-order.js";

const WORDS =
  "the of and to in is you that it he was for on are as with his they at be this have from or one had by word but not what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been call who oil its now find long down day did get come made may part".split(
    " ",
  );

/** Distinct keys in order. */
export const shapes: Readonly<Record<string, (count: number) => string[]>> = {
  "random names": (count) =>
    sorted(count, (i) => `obj/${createHash("md5").update(String(i)).digest("hex")}`),
  "a padded sequence": (count) =>
    sorted(count, (i) => `data/part-${String(i).padStart(9, "0")}.parquet`),
  dates: (count) =>
    sorted(count, (i) => {
      const date = new Date(1.6e12 + i * 120_000).toISOString();
      return `logs/${date.slice(0, 10).replaceAll("-", "/")}/${date.slice(11, 16)}-${(i * 7919) % 100_000}.gz`;
    }),
  "one hot prefix": (count) =>
    sorted(count, (i) =>
      i % 10 > 0
        ? `a/b/c/d/e/hot/${String((i * 7919) % 1e9).padStart(9, "0")}`
        : `t${i % 500}/x/${i}`,
    ),
  words: (count) => {
    let state = 12_345;
    const word = () => {
      state = (state * 1_103_515_245 + 12_345) % 0x7fffffff;
      return WORDS[Math.floor((state / 0x7fffffff) * WORDS.length)];
    };
    return sorted(count, (i) => `${word()}/${word()}/${word()}/file ${i}.txt`);
  },
  "Chinese characters": (count) =>
    sorted(count, (i) => {
      const at = (step: number) => String.fromCodePoint(0x4e00 + ((i * step) % 20_000));
      return `文件/${at(31)}/${at(17)}${i}`;
    }),
};

function sorted(count: number, key: (i: number) => string): string[] {
  return [...new Set(Array.from({ length: count }, (_, i) => key(i)))].sort(compareKeys);
}
