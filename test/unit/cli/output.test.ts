import { AppError } from "../../../src/core/failures/errors.js";
import { describe, expect, it } from "vitest";

import { createOutput } from "../../../src/cli/output.js";

/** Both streams of a command as one, as on a terminal: what is written, in that order. */
function streams({ json = false, quiet = false, isTTY = false } = {}) {
  const written: string[] = [];
  const stream = (name: string) =>
    ({
      isTTY,
      write: (data: string | Uint8Array, done?: (error?: Error) => void) => {
        written.push(`${name}: ${String(data)}`);
        done?.();
        return true;
      },
    }) as unknown as NodeJS.WriteStream;
  const output = createOutput({ json, quiet, stdout: stream("out"), stderr: stream("err") });
  return { output, written };
}

describe("output", () => {
  it("keeps the order of results and remarks, which a terminal shows as one", async () => {
    const { output, written } = streams();
    output.result({}, "first");
    output.note("then");
    output.result({}, ["second", "third"]);
    output.error(new AppError({ kind: "usage", code: "X", message: "at last", hint: "pail ls" }));
    await output.flush();
    expect(written).toEqual([
      "out: first\n",
      "err: then\n",
      "out: second\nthird\n",
      "err: pail: at last\n",
      "err: hint: pail ls\n",
    ]);
  });

  it("is lines of JSON when asked to be, errors too", async () => {
    const { output, written } = streams({ json: true });
    output.result({ a: 1 }, "not this");
    output.itemError({ target: "t" }, new AppError({ kind: "denied", code: "C", message: "m" }));
    await output.flush();
    expect(written.join("").replaceAll("out: ", "")).toBe(
      '{"a":1}\n{"target":"t","error":{"kind":"denied","code":"C","message":"m"}}\n',
    );
  });

  it("leaves out remarks with --quiet, but never errors", () => {
    const { output, written } = streams({ quiet: true });
    output.note("a remark");
    output.error(new AppError({ kind: "denied", code: "C", message: "m" }));
    expect(written).toEqual(["err: pail: m\n"]);
  });

  it("escapes a stranger's text for a terminal, and on stderr always", async () => {
    const text = "a\u001b[2Jb";
    const terminal = streams({ isTTY: true });
    terminal.output.result({}, text);
    await terminal.output.page([text], String, (key) => ({ key }));
    const pipe = streams();
    pipe.output.result({}, text);
    pipe.output.note(text);
    await pipe.output.flush();
    expect(terminal.written.join("")).not.toContain("\u001b");
    expect(pipe.written).toEqual([`out: ${text}\n`, "err: a\\x1b[2Jb\n"]);
  });

  it("reports at the end what could not be written", async () => {
    const broken = Object.assign(new Error("full"), { code: "ENOSPC" });
    const stdout = { write: (_: unknown, done: (error: Error) => void) => done(broken) };
    const output = createOutput({
      json: false,
      quiet: false,
      stdout: stdout as unknown as NodeJS.WriteStream,
      stderr: stdout as unknown as NodeJS.WriteStream,
    });
    output.result({}, "lost");
    await expect(output.flush()).rejects.toBe(broken);
    await expect(output.flush()).rejects.toBe(broken);
  });
});
