import { expect, it } from "vitest";

import { createBudget, createFlights } from "../../../src/mcp/flight.js";

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

it("bytes are granted in the order of asking, never more than there are", async () => {
  const budget = createBudget(10);
  const taken: string[] = [];
  const take = async (name: string, bytes: number) => {
    const give = await budget.take(bytes, never);
    taken.push(name);
    return give;
  };
  const first = await take("a", 6);
  const second = take("b", 6);
  const third = take("c", 1);
  await turn();
  // The small one waits too: otherwise the large one would wait for ever.
  expect(taken).toEqual(["a"]);
  first();
  first();
  const give = await second;
  (await third)();
  expect(taken).toEqual(["a", "b", "c"]);
  give();
  await take("more than there is", 1000);
});

it("a request that no longer waits is skipped", async () => {
  const budget = createBudget(1);
  const give = await budget.take(1, never);
  const controller = new AbortController();
  const waiting = budget.take(1, controller.signal);
  const next = budget.take(1, never);
  controller.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  give();
  await next;
  await expect(budget.take(1, AbortSignal.abort(new Error("late")))).rejects.toThrow("late");
});

it("the end of an answer is told once to those that wait for it", () => {
  const flights = createFlights();
  const told: number[] = [];
  for (const at of [1, 2]) flights.onSent("x", () => told.push(at));
  flights.land("other");
  flights.land("x");
  flights.land("x");
  flights.landAll();
  expect(told).toEqual([1, 2]);
});
