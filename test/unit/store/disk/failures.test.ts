import { describe, expect, it } from "vitest";
import { StoreError, StoreFailure } from "../../../../src/store/errors.js";
import { asStoreError } from "../../../../src/store/disk/failures.js";

const failed = (code: string): Error =>
  Object.assign(new Error(code), { code, syscall: "open", path: "/store/tmp/x" });

describe("a failed system call", () => {
  it.each([
    ["ENOSPC", "InsufficientStorage", 507],
    ["EDQUOT", "InsufficientStorage", 507],
    ["EMFILE", "SlowDown", 503],
    ["ENAMETOOLONG", "KeyTooLongError", 400],
  ])("%s is %s to the client", (code, named, status) => {
    expect(asStoreError(failed(code))).toMatchObject({ name: "StoreError", code: named, status });
  });

  it.each(["EACCES", "EPERM", "EROFS"])(
    "%s names the forbidden operation, and the path",
    (code) => {
      const error = asStoreError(failed(code));
      expect(error).toBeInstanceOf(StoreFailure);
      expect(error).toMatchObject({ code: "InternalError", status: 500 });
      expect((error as Error).message).toContain(`open /store/tmp/x: ${code}`);
    },
  );

  it("of another kind, and a refusal, stay as they are", () => {
    for (const error of [failed("EIO"), new StoreError("NoSuchKey", 404, "no"), "text"]) {
      expect(asStoreError(error)).toBe(error);
    }
  });
});
