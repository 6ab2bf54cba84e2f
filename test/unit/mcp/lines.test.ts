import { PassThrough } from "node:stream";

import { describe, expect, it } from "vitest";

import { createFlights } from "../../../src/mcp/flight.js";
import { Lines } from "../../../src/mcp/lines.js";

async function wire(maxBytes = 1024) {
  const input = new PassThrough();
  const output = new PassThrough();
  const flights = createFlights();
  const problems: string[] = [];
  const lines = new Lines(input, output, {
    maxBytes,
    flights,
    onProblem: (one) => problems.push(one),
  });
  const got: unknown[] = [];
  Object.assign(lines, { onmessage: (message: unknown) => got.push(message) });
  await lines.start();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    lines,
    flights,
    got,
    problems,
    send: async (text: string | Buffer) => {
      input.write(text);
      await turn();
    },
    answers: async () => {
      await lines.flushed();
      const text = String(output.read() ?? "");
      return text === ""
        ? []
        : text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as unknown);
    },
  };
}

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" }) as const;

describe("the input", () => {
  it("has one message a line, wherever chunks and characters are cut", async () => {
    const { send, got } = await wire();
    const message = { ...ping(1), params: { text: "ü😀" } };
    const bytes = Buffer.from(`${JSON.stringify(message)}\n\n${JSON.stringify(ping(2))}\n`);
    for (const byte of bytes) await send(Buffer.from([byte]));
    expect(got).toEqual([message, ping(2)]);
  });

  it.each([
    ["nonsense", null, -32700],
    ["{", null, -32700],
    ["[]", null, -32600],
    ['{"id": 7}', 7, -32600],
    ["5", null, -32600],
    ["null", null, -32600],
  ])("that is %j is answered, and the server lives on", async (text, id, code) => {
    const { send, answers, got, problems } = await wire();
    await send(`${text}\n${JSON.stringify(ping(1))}\n`);
    expect(await answers()).toMatchObject([{ id, error: { code } }]);
    expect(got).toEqual([ping(1)]);
    expect(problems).toHaveLength(1);
  });

  it("that is too long is answered under its id, and the next line is read", async () => {
    const { send, answers, got } = await wire(1000);
    const long = JSON.stringify({
      jsonrpc: "2.0",
      id: 5,
      method: "x",
      params: { t: "y".repeat(9000) },
    });
    for (let at = 0; at < long.length; at += 700) await send(long.slice(at, at + 700));
    await send(`\n${JSON.stringify(ping(6))}\n`);
    expect(await answers()).toMatchObject([{ id: 5, error: { code: -32600 } }]);
    expect(got).toEqual([ping(6)]);
  });
});

describe("the output", () => {
  it("answers a batch at once, without what was cancelled", async () => {
    const { lines, send, answers } = await wire();
    await send(`${JSON.stringify([ping(1), ping(2), ping(3)])}\n`);
    await lines.send({ jsonrpc: "2.0", id: 1, result: {} });
    await lines.send({ jsonrpc: "2.0", id: 3, result: {} });
    expect(await answers()).toEqual([]);
    const cancelled = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 2 },
    };
    await send(`${JSON.stringify(cancelled)}\n`);
    expect(await answers()).toMatchObject([[{ id: 1 }, { id: 3 }]]);
  });

  it("releases the room of an answer once it has left, or never will", async () => {
    const { lines, flights } = await wire();
    const left: number[] = [];
    for (const id of [1, 2]) flights.onSent(id, () => left.push(id));
    await lines.send({ jsonrpc: "2.0", id: 1, result: {} });
    expect(left).toEqual([1]);
    await lines.close();
    expect(left).toEqual([1, 2]);
  });
});
