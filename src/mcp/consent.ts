/**
 * Asking before something is destroyed, replaced, or touched outside. Fails closed: no clear yes
 * is a no.
 *
 * A call that needs an answer ends with a Question; the server puts it to the person and runs the
 * call again from its beginning with the answer. So what is confirmed is what was asked about: if
 * the world has changed meanwhile, the question is another one, and is asked.
 */
import { createHash, createHmac } from "node:crypto";

import { type AppError, conflictError, deniedError } from "../core/failures/errors.js";
import { CannotAsk } from "./files/guard.js";

/** `ask`: a person where the client can, else the token. `token`: never a person. `refuse`: nothing. */
export const CONFIRM_MODES = ["ask", "token", "refuse"] as const;

export type ConfirmMode = (typeof CONFIRM_MODES)[number];

/** The answer of a person. Only `accept` with the box ticked is a yes. */
export interface Answer {
  readonly action: string;
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Thrown where a call cannot go on without an answer; `id` stands for this text about these facts
 * alone, since two states of a thing may read the same.
 */
export class Question extends Error {
  override readonly name = "Question";
  readonly id: string;

  constructor(
    readonly text: string,
    facts: readonly unknown[] = [],
  ) {
    super("a person has to be asked");
    const about = JSON.stringify([text, facts]);
    this.id = createHash("sha256").update(about).digest("base64url").slice(0, 22);
  }
}

/** The action that the person is asked about and that the token stands for. */
export interface Plan {
  readonly question: string;
  /** Everything the plan depends on: the tool, the exact keys, their ETags and versions. */
  readonly facts: readonly unknown[];
}

export interface Consent {
  /**
   * Resolves when a destructive plan may be carried out. `given` is the token the model passed;
   * where a person can be asked it counts for nothing. Throws Question, Declined,
   * ConfirmationRequired, PlanChanged or ConfirmationRefused.
   */
  confirm(plan: Plan, given: string | undefined): void;
  /** As `confirm`, for replacing one object whose ETag the caller has named: no token is needed. */
  confirmNamed(plan: Plan): void;
  /** Throws ConfirmationRefused where nothing may be destroyed; asks nobody. */
  permit(what: string): void;
  /** The token that stands for a plan. Undefined where tokens count for nothing. */
  token(plan: Plan): string | undefined;
  /** Resolves on a person's yes to this very question. Throws CannotAsk where there is nobody. */
  approve(question: string): Promise<void>;
}

export interface ConsentInit {
  readonly mode: ConfirmMode;
  readonly canAsk: boolean;
  /** Answers so far, by the question's id. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** The process's own; tokens of another process are worth nothing. */
  readonly secret: Buffer;
}

/** Makes the consent of one call. */
export function createConsent({ mode, canAsk, answers, secret }: ConsentInit): Consent {
  const person = mode === "ask" && canAsk;
  const ask = (text: string, facts?: readonly unknown[]): void => {
    const question = new Question(text, facts);
    const answer = answers.get(question.id);
    if (answer === undefined) throw question;
    if (answer.action === "accept" && answer.content?.["confirm"] === true) return;
    throw declined(text);
  };
  const tokenOf = ({ facts }: Plan): string =>
    createHmac("sha256", secret).update(JSON.stringify(facts)).digest("base64url").slice(0, 16);
  const permit = (what: string): void => {
    if (mode === "refuse") throw refused(what);
  };
  return {
    permit,
    confirm: (plan, given) => {
      permit(plan.question);
      if (person) return ask(plan.question, plan.facts);
      const token = tokenOf(plan);
      if (given === token) return;
      // Some say `true`, which is a model's word and no token.
      throw given === undefined || given === "true" || given === "false"
        ? required(plan.question, token)
        : changed(plan.question, token);
    },
    confirmNamed: (plan) => {
      permit(plan.question);
      if (person) ask(plan.question, plan.facts);
    },
    token: (plan) => (person || mode === "refuse" ? undefined : tokenOf(plan)),
    approve: async (question) => {
      if (!person) throw new CannotAsk();
      ask(question);
    },
  };
}

/** A question's keys are quoted, so a line end in it is one of ours. */
function oneLineOf(question: string): string {
  return question.replaceAll("\n", " ");
}

function required(question: string, token: string): AppError {
  return deniedError(
    "ConfirmationRequired",
    `not done; it needs a yes: ${oneLineOf(question)}`,
    `ask the person; on a yes call again with confirm: "${token}", which is good for exactly this`,
  );
}

function changed(question: string, token: string): AppError {
  return conflictError(
    "PlanChanged",
    `not done; what would be changed is no longer what was confirmed. Now: ${oneLineOf(question)}`,
    `ask the person again; on a yes call again with confirm: "${token}"`,
  );
}

function declined(question: string): AppError {
  return deniedError(
    "Declined",
    `not done; the person said no: ${oneLineOf(question)}`,
    "do not try again unless the person asks for it",
  );
}

function refused(question: string): AppError {
  return deniedError(
    "ConfirmationRefused",
    `not done; this server was started with --confirm refuse: ${question}`,
    "ask the person to do it, or to start the server with --confirm ask",
  );
}
