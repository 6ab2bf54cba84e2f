/** How every command begins and ends: its flags, its session, and one message for a failure. */
import { boolean } from "@oclif/core/flags";
import { describe, expect, it } from "vitest";

import { BaseCommand, type Session, type Shared } from "../../../src/cli/base.js";
import type { Output } from "../../../src/cli/output.js";
import type { Context } from "../../../src/context.js";
import { AppError } from "../../../src/core/failures/errors.js";

let work: (session: Session, argv: readonly unknown[]) => void | Promise<void>;

class Probe extends BaseCommand {
  static override id = "probe";
  static override strict = false;
  static override flags = { deep: boolean() };

  async run(): Promise<void> {
    const { argv, ...session } = await this.open(Probe);
    await work(session, argv);
    this.endWith(9);
  }
}

/** Runs the command as `pail run` does; resolves with its exit code and what it said. */
async function run(words: readonly string[], doing: typeof work = () => undefined) {
  const said: AppError[] = [];
  let code: number | undefined;
  const output = { error: (error: AppError) => said.push(error) } as unknown as Output;
  const end = (ended: number) => {
    code = ended;
  };
  const { signal } = new AbortController();
  const shared: Shared = { context: {} as Context, output, signal, end };
  const config = {
    bin: "pail",
    pjson: { oclif: {} },
    runHook: () => Promise.resolve({ successes: [], failures: [] }),
    scopedEnvVar: () => undefined,
    scopedEnvVarKeys: () => [],
    scopedEnvVarTrue: () => false,
    shared,
  };
  work = doing;
  await (new Probe([...words], config as never) as unknown as { _run(): Promise<void> })._run();
  return { code, said, shared };
}

describe("a command", () => {
  it("works with the session it was given, and ends with its own code", async () => {
    let seen: Session | undefined;
    const { code, said, shared } = await run(["--deep"], (session) => {
      seen = session;
    });
    expect(seen?.context).toBe(shared.context);
    expect(seen?.signal).toBe(shared.signal);
    expect([code, said]).toEqual([9, []]);
  });

  it("refuses a value for a flag that takes none, and leaves arguments alone", async () => {
    for (const flag of ["--deep=true", "--json=no"]) {
      const { code, said } = await run([flag]);
      expect(code).toBe(2);
      expect(said).toMatchObject([{ code: "InvalidFlag", message: /^--\w+ takes no value$/ }]);
    }
    let given: readonly unknown[] = [];
    const { code } = await run(["--", "--deep=true"], (_session, argv) => {
      given = argv;
    });
    expect([code, given]).toEqual([9, ["--deep=true"]]);
  });
});

describe("a failure", () => {
  const failing = (error: Error) =>
    run([], () => {
      throw error;
    });

  it("is one message and the exit code of its kind", async () => {
    const error = new AppError({ kind: "conflict", code: "Taken", message: "m" });
    expect(await failing(error)).toMatchObject({ code: 5, said: [error] });
    const bug = await failing(new TypeError("x is undefined"));
    expect(bug).toMatchObject({ code: 1, said: [{ kind: "bug" }] });
  });

  it("of stdout is reported, but a reader that closed the pipe is no failure", async () => {
    const stdout = (code: string) =>
      Object.assign(new Error("write failed"), { code, syscall: "write" });
    expect(await failing(stdout("ENOSPC"))).toMatchObject({
      code: 6,
      said: [{ message: "cannot write to stdout: write failed" }],
    });
    expect(await failing(stdout("EPIPE"))).toMatchObject({ code: undefined, said: [] });
    // A file has a path: its failure is not stdout's.
    const file = Object.assign(stdout("ENOSPC"), { path: "x" });
    expect((await failing(file)).said[0]?.message).not.toContain("stdout");
  });
});
