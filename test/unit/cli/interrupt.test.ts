/** The signal that ends a command's work: what fires it, and that its listeners are removed. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import {
  abortable,
  interruptSignal,
  OutputClosed,
  unwritable,
} from "../../../src/cli/interrupt.js";
import { collector } from "../../support/collector.js";

let stdout = collector().stream;
let stderr = collector().stream;
beforeEach(() => {
  [stdout, stderr] = [collector().stream, collector().stream];
  vi.spyOn(process, "stdout", "get").mockReturnValue(stdout as never);
  vi.spyOn(process, "stderr", "get").mockReturnValue(stderr as never);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const failure = (code: string) => Object.assign(new Error("gone"), { code });
/** The listener for a signal that only the opened one has: the test's runner keeps its own. */
const send = (name: NodeJS.Signals, before: readonly unknown[]) => {
  const added = process.listeners(name).filter((listener) => !before.includes(listener));
  expect(added).toHaveLength(1);
  added[0]!(name);
};

describe("an interrupt", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("by %s fires, and kills after the grace", (name) => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    const before = process.listeners(name);
    const interrupt = interruptSignal(1000);
    expect(interrupt.signal.aborted).toBe(false);
    send(name, before);
    expect(interrupt.signal.reason).toMatchObject({ kind: "interrupted" });
    vi.advanceTimersByTime(999);
    expect(kill).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, name);
    interrupt.release();
  });

  it("kills nothing after its release, and leaves no listener", () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    const before = [process.listeners("SIGINT"), process.listeners("SIGTERM")];
    const interrupt = interruptSignal(1000);
    send("SIGINT", before[0]!);
    interrupt.release();
    vi.advanceTimersByTime(5000);
    expect(kill).not.toHaveBeenCalled();
    expect([process.listeners("SIGINT"), process.listeners("SIGTERM")]).toEqual(before);
  });

  it("by a closed pipe comes only where the output is all that is wanted", () => {
    const interrupt = interruptSignal(Infinity);
    stdout.emit("error", failure("EPIPE"));
    stderr.emit("error", failure("EPIPE"));
    expect(interrupt.signal.aborted).toBe(false);
    interrupt.endWithReader();
    stdout.emit("error", failure("EPIPE"));
    expect(interrupt.signal.reason).toBeInstanceOf(OutputClosed);
    interrupt.release();
  });

  it("by a full disk behind stdout is a failure in any command", () => {
    const interrupt = interruptSignal(Infinity);
    stdout.emit("error", failure("ENOSPC"));
    expect(interrupt.signal.reason).toMatchObject({ kind: "unavailable", code: "ENOSPC" });
    expect(unwritable(new Error("x")).code).toBe("EIO");
    interrupt.release();
  });
});

describe("work that accepts no signal", () => {
  it("is abandoned when the signal fires, and otherwise ends by itself", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    expect(await abortable(Promise.resolve(1), signal)).toBe(1);
    await expect(abortable(Promise.reject(new Error("own")), signal)).rejects.toThrow("own");
    const waiting = abortable(new Promise(() => {}), signal);
    controller.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    await expect(abortable(new Promise(() => {}), signal)).rejects.toThrow("stopped");
  });
});
