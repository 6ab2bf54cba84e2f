/** Several servers of one directory agree with a model; `test/long` plays longer and kills them. */
import { expect, it } from "vitest";
import { playModel } from "../support/store-model.js";

it("several servers of one directory answer as one store would", async () => {
  const played = playModel({ seed: 1, servers: 2, lanes: 4, operations: 40, kills: 0 });
  expect(await played).toEqual({ inDoubt: 0 });
});
