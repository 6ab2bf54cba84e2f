/**
 * A service can say in several ways that it gets too many requests: each makes pail send fewer at
 * once.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";

import type { TransferItem } from "../../src/core/engine/events.js";
import { createRun } from "../../src/core/engine/run.js";
import { clientFor } from "../support/client.js";

let close: () => void = () => undefined;
afterEach(() => close());

/** An endpoint that refuses once, and answers well from then on. */
async function refusing(status: number, code: string | undefined): Promise<string> {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    if (asked > 1) return void response.writeHead(200, { "content-length": 0 }).end();
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(code && `<Error><Code>${code}</Code></Error>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function limitsAfter(status: number, code: string | undefined): Promise<number[]> {
  const endpoint = await refusing(status, code);
  const client = clientFor({ endpoint });
  const run = createRun({});
  const item = { id: 1 } as TransferItem;
  await client.request({ method: "GET", bucket: "b", key: "a", ...run.watch(item) });
  client.close();
  return [run.objects.limit, run.parts.limit];
}

it.each([
  [503, "SlowDown"],
  [503, "ServiceUnavailable"],
  [503, "RequestLimitExceeded"],
  [503, undefined],
  [429, undefined],
  [429, "TooManyRequests"],
  [400, "Throttling"],
])("%d %s halves what is under way", async (status, code) => {
  expect(await limitsAfter(status, code)).toEqual([32, 4]);
});

it("a service that only failed still gets as many requests", async () => {
  expect(await limitsAfter(500, "InternalError")).toEqual([64, 8]);
});
