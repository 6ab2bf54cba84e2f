"use strict";
// Loaded into a server by --require: the longest turn of its event loop, in milliseconds of CPU of
// its first thread (Linux), since it was last asked by SIGUSR2; written to PAIL_BENCH_TURNS.
const { readFileSync, renameSync, writeFileSync } = require("node:fs");

const cpu = () => Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;
let [before, longest] = [cpu(), 0];
setInterval(() => {
  const now = cpu();
  longest = Math.max(longest, now - before);
  before = now;
}, 2).unref();
process.on("SIGUSR2", () => {
  const file = process.env.PAIL_BENCH_TURNS;
  writeFileSync(`${file}.new`, longest.toFixed(1));
  renameSync(`${file}.new`, file);
  longest = 0;
});
