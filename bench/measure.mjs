/** Runs a command and measures its cost: wall time, CPU time, peak memory. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const POLL_MS = 10;

/**
 * Runs to the end and resolves with seconds, CPU seconds (in steps of 10 ms) and peak MiB; the last
 * two on Linux only, read from /proc. The peak is polled: a process shorter than a poll has none.
 * Throws when the command fails: a benchmark of a failure is a lie. One at a time: the CPU time is
 * that of all children that ended meanwhile. A command that takes longer than `patience` seconds is
 * ended, and then there is nothing but `{ over: patience }`.
 */
export async function measure(command, args, { env = {}, cwd, patience } = {}) {
  const cpuBefore = childrenCpu();
  const began = performance.now();
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    if (complaint.length < 4000) complaint += chunk;
  });
  let peak;
  const poll = setInterval(() => {
    peak = peakOf(child.pid) ?? peak;
  }, POLL_MS);
  let over = false;
  const end = () => {
    over = true;
    child.kill("SIGKILL");
  };
  const timer = Number.isFinite(patience) ? setTimeout(end, patience * 1000) : undefined;
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).finally(() => {
    clearInterval(poll);
    clearTimeout(timer);
  });
  if (over) return { over: patience };
  const wall = (performance.now() - began) / 1000;
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} exited ${code}: ${complaint}`);
  const cpuAfter = childrenCpu();
  const cpu = cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
  return { wall, cpu, peak };
}

const TICKS_A_SECOND = 100;

/** CPU seconds of all children that have ended, and of theirs (cutime and cstime of proc(5)). */
function childrenCpu() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
  } catch {
    return undefined;
  }
}

/** The most memory a process has had in MiB; undefined once it has ended. */
function peakOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kib = /VmHWM:\s+(\d+)/.exec(status)?.[1];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}

export function median(numbers) {
  const sorted = numbers.filter((n) => n !== undefined).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
