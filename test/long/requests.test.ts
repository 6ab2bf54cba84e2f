/** Those of test/e2e/requests.test.ts that take long. */
import { expect, test } from "vitest";

import { startLargeService } from "../support/large-service.js";
import { createHome, RUNTIME } from "../support/run.js";

// The single executable takes no options of Node's.
test.skipIf(RUNTIME !== process.execPath).each(["ls", "find"])(
  "8 memory does not grow with the number of objects: %s (rclone#7974, s5cmd#745)",
  async (command) => {
    const home = createHome();
    const large = await startLargeService(400_000);
    try {
      // So many entries would need twice as much memory if all were kept.
      const NODE_OPTIONS = "--max-old-space-size=48";
      const PAIL_HOST_large = large.endpoint.replace("://", "://a:b@");
      const args = command === "ls" ? ["ls", "-r", "large/many"] : ["find", "large/many"];
      const child = home.start(args, { env: { NODE_OPTIONS, PAIL_HOST_large } });
      let lines = 0;
      child.stdout!.on("data", (chunk: Buffer) => {
        for (const byte of chunk) if (byte === 10) lines += 1;
      });
      let stderr = "";
      child.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      const code = await new Promise((resolve) => child.once("close", resolve));
      expect({ code, stderr, lines }).toEqual({ code: 0, stderr: "", lines: 400_000 });
    } finally {
      large.close();
      home.remove();
    }
  },
);
