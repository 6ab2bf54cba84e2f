import { describe, expect, it } from "vitest";

import { statOrNothing, statOrUndefined } from "../../../../src/core/operations/exists.js";
import { openBucket } from "../../../../src/core/storage/s3.js";
import { answer, script } from "../../../support/answers.js";
import { clientFor } from "../../../support/client.js";

const { signal } = new AbortController();

/** A bucket whose objects, and which itself, answer a HEAD with a status. */
function bucketWith(object: number, bucket = 200) {
  const { handler } = script(({ path }) =>
    answer(path === "/b" ? bucket : object, "", { etag: '"e"', "content-length": "0" }),
  );
  return openBucket(clientFor({ handler }), "b");
}

describe("whether an object is there", () => {
  it("is told by its facts, or by none", async () => {
    expect(await statOrUndefined(bucketWith(200), "k", signal)).toMatchObject({ etag: "e" });
    expect(await statOrUndefined(bucketWith(404), "k", signal)).toBeUndefined();
  });

  it("is not known to those who may not look, but to some that is all the same", async () => {
    await expect(statOrUndefined(bucketWith(403), "k")).rejects.toMatchObject({ kind: "denied" });
    expect(await statOrNothing(bucketWith(403), "k", signal)).toBeUndefined();
    expect(await statOrNothing(bucketWith(404), "k", signal)).toBeUndefined();
  });

  it("is an error where the bucket is missing", async () => {
    for (const look of [statOrUndefined, statOrNothing]) {
      await expect(look(bucketWith(404, 404), "k", signal)).rejects.toMatchObject({
        code: "NoSuchBucket",
      });
    }
  });
});
