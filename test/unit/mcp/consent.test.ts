import { describe, expect, it } from "vitest";

import {
  type Answer,
  type ConsentInit,
  Question,
  createConsent,
} from "../../../src/mcp/consent.js";
import { CannotAsk } from "../../../src/mcp/files/guard.js";

const plan = { question: 'Delete "a"?', facts: ["delete", "a", "etag"] };
const consent = (init: Partial<ConsentInit> = {}) =>
  createConsent({
    mode: "ask",
    canAsk: true,
    answers: new Map(),
    secret: Buffer.alloc(32, 1),
    ...init,
  });
const answered = (
  answer: Answer,
  question = plan.question,
  facts: readonly unknown[] = plan.facts,
) => consent({ answers: new Map([[new Question(question, facts).id, answer]]) });

describe("a person who can be asked", () => {
  it("is asked, whatever the model says", () => {
    for (const given of [undefined, "true", consent({ mode: "token" }).token(plan)]) {
      expect(() => consent().confirm(plan, given)).toThrow(Question);
    }
    expect(consent().token(plan)).toBeUndefined();
  });

  it("says yes by ticking the box, and by nothing else", () => {
    const yes = answered({ action: "accept", content: { confirm: true } });
    expect(() => yes.confirm(plan, undefined)).not.toThrow();
    const answers: Answer[] = [
      { action: "accept" },
      { action: "accept", content: {} },
      { action: "accept", content: { confirm: "true" } },
      { action: "accept", content: { confirm: false } },
      { action: "decline", content: { confirm: true } },
      { action: "cancel" },
      { action: "" },
    ];
    for (const answer of answers) {
      expect(() => answered(answer).confirm(plan, undefined)).toThrow(/the person said no/);
    }
  });

  it("has answered only this question", () => {
    const other = answered({ action: "accept", content: { confirm: true } }, 'Delete "b"?');
    expect(() => other.confirm(plan, undefined)).toThrow(Question);
    const was = answered({ action: "accept", content: { confirm: true } }, plan.question, ["was"]);
    expect(() => was.confirm(plan, undefined)).toThrow(Question);
  });
});

describe("a token", () => {
  const tokens = consent({ mode: "token" });

  it("stands for exactly its plan, in its process", () => {
    const token = tokens.token(plan);
    expect(() => tokens.confirm(plan, token)).not.toThrow();
    for (const facts of [
      ["delete", "a", "other"],
      ["delete", "a"],
      ["move", "a", "etag"],
    ]) {
      expect(() => tokens.confirm({ ...plan, facts }, token)).toThrow(
        /no longer what was confirmed/,
      );
    }
    const elsewhere = consent({ mode: "token", secret: Buffer.alloc(32, 2) });
    expect(() => elsewhere.confirm(plan, token)).toThrow(/no longer what was confirmed/);
  });

  it.each([undefined, "true", "false", "yes", ""])("is not %j", (given) => {
    expect(() => tokens.confirm(plan, given)).toThrow(/not done/);
  });
});

it("with --confirm refuse nothing is destroyed, whoever says yes", async () => {
  const refuse = consent({ mode: "refuse" });
  for (const act of [
    () => refuse.confirm(plan, consent({ mode: "token" }).token(plan)),
    () => refuse.confirmNamed(plan),
    () => refuse.permit("Delete?"),
  ]) {
    expect(act).toThrow(/--confirm refuse/);
  }
  await expect(refuse.approve("Read?")).rejects.toThrow(CannotAsk);
});

it("without anyone to ask, nothing about files is granted", async () => {
  await expect(consent({ canAsk: false }).approve("Read?")).rejects.toThrow(CannotAsk);
  await expect(consent({ mode: "token" }).approve("Read?")).rejects.toThrow(CannotAsk);
});
