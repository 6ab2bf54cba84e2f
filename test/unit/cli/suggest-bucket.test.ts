/** The bucket that was most likely meant, as the hint of an error. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { suggestBucket } from "../../../src/cli/suggest-bucket.js";
import { AppError } from "../../../src/core/failures/errors.js";
import { createSession, type TestSession } from "../../support/session.js";

let session: TestSession;
beforeAll(async () => {
  const env = { AWS_MAX_ATTEMPTS: "1", PAIL_HOST_down: "http://key:secretsecret@127.0.0.1:9" };
  session = await createSession({ buckets: ["photos", "videos"], env });
});
afterAll(() => session.close());

const missing = new AppError({
  kind: "not-found",
  code: "NoSuchBucket",
  message: "no such bucket",
  hint: "pail ls local",
  details: { bucket: "phtos" },
});
const suggest = (words: string[], problem = missing) =>
  suggestBucket(session.context, words, problem);

describe("the hint for a bucket that is not there", () => {
  it("is the nearest existing one, and the rest of the error stays the same", async () => {
    expect(await suggest(["cp", "./file", "local/phtos/2024/a.jpg"])).toMatchObject({
      kind: "not-found",
      code: "NoSuchBucket",
      message: "no such bucket",
      details: { bucket: "phtos" },
      hint: "did you mean local/photos?",
    });
  });

  it("ignores an existing bucket, and corrects the word behind it", async () => {
    const words = ["local/photos/a", "local/vdeos"];
    expect((await suggest(words)).hint).toBe("did you mean local/videos?");
    expect(await suggest(["local/photos"])).toBe(missing);
  });

  it("stays as it was where nothing is near, or the buckets cannot be listed", async () => {
    for (const word of ["local/else", "nosuch/photo", "local", "down/phtos"]) {
      expect(await suggest([word])).toBe(missing);
    }
  });

  it("is added to that error alone", async () => {
    const other = new AppError({ kind: "not-found", code: "NoSuchKey", message: "no such key" });
    expect(await suggest(["local/phtos"], other)).toBe(other);
  });
});
