import { describe, expect, it } from "vitest";

import { type Answer, confirm } from "../../../src/mcp/confirm.js";

const question = async () => "Delete 3 objects?";
const asking = (answer: Answer) => async () => answer;

describe("confirm", () => {
  it("takes the model's word only when the person cannot be asked", async () => {
    await expect(confirm(question, true, undefined)).resolves.toBeUndefined();
    await expect(confirm(question, true, asking({ action: "decline" }))).rejects.toMatchObject({
      code: "Declined",
      kind: "denied",
    });
  });

  it.each([undefined, false])("refuses without a yes (confirm: %s)", async (confirmed) => {
    await expect(confirm(question, confirmed, undefined)).rejects.toMatchObject({
      code: "ConfirmationRequired",
      message: "not done; it needs a yes: Delete 3 objects?",
      hint: expect.stringContaining("confirm: true"),
    });
  });

  it("goes on when the person accepts", async () => {
    const accept = asking({ action: "accept", content: { confirm: true } });
    await expect(confirm(question, undefined, accept)).resolves.toBeUndefined();
    await expect(
      confirm(question, undefined, asking({ action: "accept" })),
    ).resolves.toBeUndefined();
  });

  it.each<Answer>([
    { action: "decline" },
    { action: "cancel" },
    { action: "accept", content: { confirm: false } },
  ])("takes %j for a no", async (answer) => {
    await expect(confirm(question, true, asking(answer))).rejects.toMatchObject({
      code: "Declined",
    });
  });

  it("fails closed when the question does not get through", async () => {
    const broken = async () => {
      throw new Error("Method not found");
    };
    await expect(confirm(question, true, broken)).rejects.toMatchObject({
      code: "ConfirmationFailed",
      message: expect.stringContaining("Method not found"),
    });
  });
});
