import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { textOf } from "../support/mcp.js";
import { startBinary } from "../support/mcp-binary.js";
import { createHome } from "../support/run.js";

/** MiB of the whole process; the executable's runtime keeps more between two collections. */
const MOST = process.env["PAIL_TEST_PROGRAM"] === undefined ? 250 : 500;

it.skipIf(process.platform !== "linux")(
  `stays below ${MOST} MiB with 300 objects of 1 MiB read at once`,
  async () => {
    const home = createHome();
    const server = await startBinary(home);
    try {
      await server.call("create_bucket", { bucket_name: "bucket" });
      const content = "0123456789abcdef".repeat(65_536);
      await server.call("put_object", { bucket_name: "bucket", object_key: "k", content });
      const results = await Promise.all(
        Array.from({ length: 300 }, async () => {
          const result = await server.call("get_object", {
            bucket_name: "bucket",
            object_key: "k",
          });
          return textOf(result).includes(content);
        }),
      );
      expect(results.every(Boolean)).toBe(true);
      const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
      const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
      console.log(`peak memory: ${Math.round(peak)} MiB`);
      expect(peak).toBeLessThan(MOST);
    } finally {
      await server.close();
      home.remove();
    }
  },
);
