import { describe, expect, it } from "vitest";

import { contentTypeOf } from "../../../src/core/content-type.js";

describe("contentTypeOf", () => {
  it.each([
    ["photo.jpg", "image/jpeg"],
    ["dir.png/PHOTO.JPG", "image/jpeg"],
    ["index.html", "text/html"],
    ["data.json", "application/json"],
    ["archive.tar.gz", "application/gzip"],
    ["movie.mp4", "video/mp4"],
    ["no-extension", "application/octet-stream"],
    ["dir.jpg/no-extension", "application/octet-stream"],
    ["dir.jpg/", "application/octet-stream"],
    ["unknown.zzzz", "application/octet-stream"],
    ["", "application/octet-stream"],
    ["a.constructor", "application/octet-stream"],
  ])("of %j is %s", (name, expected) => {
    expect(contentTypeOf(name)).toBe(expected);
  });
});
