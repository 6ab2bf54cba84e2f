/** Reading with `--at` and with a customer key: the contexts of at-flag and of reading. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { contextAt } from "../../../src/cli/at-flag.js";
import { contextWithKey } from "../../../src/cli/extras.js";
import { readingSession } from "../../../src/cli/reading.js";
import type { Context } from "../../../src/context.js";
import { createSession, type TestSession } from "../../support/session.js";

const FLAG = { "sse-c-key": "env:KEY" };
let session: TestSession;
beforeAll(async () => {
  session = await createSession({
    buckets: ["bkt"],
    env: { KEY: Buffer.alloc(32, 7).toString("base64"), SHORT: "c2hvcnQ=" },
  });
  const { context } = session;
  await (await context.buckets("local")).setVersioning("bkt", "Enabled");
  await (await context.bucket("local", "bkt")).write("plain", Buffer.from("now"));
  const sealed = await contextWithKey(context, FLAG).bucket("local", "bkt");
  await sealed.write("sealed", Buffer.from("secret"));
});
afterAll(() => session.close());

/** The body a context reads of a key, or the code of its error. */
async function read(context: Context, key: string): Promise<string> {
  try {
    const { body } = await (await context.bucket("local", "bkt")).read(key);
    let text = "";
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    return text;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

describe("--at", () => {
  it("leaves the context as it is where no time is given", () => {
    expect(contextAt(session.context, undefined)).toBe(session.context);
  });

  it("reads the past: nothing before the first write, everything after the last", async () => {
    expect(await read(contextAt(session.context, "1h"), "plain")).toBe("NoSuchKey");
    expect(await read(contextAt(session.context, "2999-01-01"), "plain")).toBe("now");
    expect(await read(session.context, "plain")).toBe("now");
  });

  it("is refused before any request when it is no time", () => {
    expect(() => contextAt(session.context, "2025-99-99")).toThrow(/not a time/);
    expect(() => contextAt(session.context, "soon")).toThrow(
      expect.objectContaining({ exitCode: 2 }),
    );
  });
});

describe("the session of a command that reads", () => {
  it("is as it was without flags", () => {
    const reading = readingSession(session, {});
    expect(reading.context).toBe(session.context);
    expect(reading.output).toBe(session.output);
  });

  it("has the customer key, the time, or both", async () => {
    const of = (flags: Parameters<typeof readingSession>[1]) =>
      read(readingSession(session, flags).context, "sealed");
    expect(await of({})).not.toBe("secret");
    expect(await of(FLAG)).toBe("secret");
    expect(await of({ ...FLAG, at: "2999-01-01" })).toBe("secret");
    expect(await of({ ...FLAG, at: "1h" })).toBe("NoSuchKey");
  });

  it("is refused with an invalid key, which is not shown", () => {
    expect(() => readingSession(session, { "sse-c-key": "env:SHORT" })).toThrow(
      /^the variable SHORT does not hold a key of 32 bytes$/,
    );
  });
});
