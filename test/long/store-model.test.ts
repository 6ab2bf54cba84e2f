/**
 * Several servers of one directory do what a model says, even when any of them is killed.
 * `PAIL_TEST_SEED` repeats a play; `PAIL_TEST_PLAYS` says how many there are.
 */
import { expect, it } from "vitest";
import { playModel } from "../support/store-model.js";

const PLAYS = Number(process.env["PAIL_TEST_PLAYS"] ?? 3);
const SEED = Number(process.env["PAIL_TEST_SEED"] ?? Date.now() % 100_000);

it.each(Array.from({ length: PLAYS }, (_, play) => SEED + play))(
  "servers that are killed lose nothing and answer alike (seed %i)",
  async (seed) => {
    const { inDoubt } = await playModel({ seed, servers: 3, lanes: 6, operations: 120, kills: 12 });
    expect(inDoubt).toBeGreaterThan(0);
  },
);
