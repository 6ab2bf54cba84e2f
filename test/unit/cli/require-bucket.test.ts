/** The check that a bucket is there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { requireBucket } from "../../../src/cli/require-bucket.js";
import { interrupted } from "../../../src/core/failures/errors.js";
import { createSession, type TestSession } from "../../support/session.js";

let session: TestSession;
beforeAll(async () => {
  session = await createSession({ buckets: ["photos"] });
});
afterAll(() => session.close());

async function check(bucket: string, signal = session.signal): Promise<void> {
  const service = await session.context.buckets("local");
  await requireBucket(service, { alias: "local", bucket }, signal);
}

describe("a bucket that must be there", () => {
  it("passes when it is there, and otherwise is named with a way to see the others", async () => {
    await expect(check("photos")).resolves.toBeUndefined();
    await expect(check("none")).rejects.toMatchObject({
      exitCode: 3,
      code: "NoSuchBucket",
      message: "local/none: no such bucket",
      hint: "pail ls local",
    });
  });

  it("is not waited for once the command is interrupted", async () => {
    const reason = interrupted();
    await expect(check("photos", AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
