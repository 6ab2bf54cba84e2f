/** Runs a command and says what it cost: wall time, CPU time, peak memory. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const POLL_MS = 10;

/**
 * Runs to the end and resolves with seconds, CPU seconds and peak MiB (the last two on Linux only,
 * read from /proc; a process shorter than a poll may have no figure).
 * Throws when the command fails: a benchmark of a failure is a lie.
 */
export async function measure(command, args, { env = {}, cwd } = {}) {
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
  const last = { cpu: undefined, peak: undefined };
  const poll = setInterval(() => Object.assign(last, usage(child.pid)), POLL_MS);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).finally(() => clearInterval(poll));
  const wall = (performance.now() - began) / 1000;
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} exited ${code}: ${complaint}`);
  return { wall, ...last };
}

const TICKS_A_SECOND = 100;

function usage(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    return Number.isNaN(peak) ? {} : { cpu, peak };
  } catch {
    return {};
  }
}

export function median(numbers) {
  const sorted = numbers.filter((n) => n !== undefined).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
