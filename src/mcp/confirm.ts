/** Asking before something is destroyed. Fails closed: no clear yes is a no. */
import { AppError } from "../core/failures/errors.js";

/** What a person answered; `accept` with the box unticked is a no. */
export interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Resolves when the call may go on. `ask` puts the question to the person and is undefined when
 * the client cannot; a model's `confirmed` counts only then, because a model that wants to go on
 * will say so. Throws ConfirmationRequired, Declined, or ConfirmationFailed.
 */
export async function confirm(
  makeQuestion: () => Promise<string>,
  confirmed: boolean | undefined,
  ask: ((question: string) => Promise<Answer>) | undefined,
): Promise<void> {
  if (ask === undefined && confirmed === true) return;
  const question = await makeQuestion();
  if (ask === undefined) {
    throw new AppError({
      kind: "denied",
      code: "ConfirmationRequired",
      message: `not done; it needs a yes: ${question}`,
      hint: "ask the person, then call again with confirm: true",
    });
  }
  const answer = await ask(question).catch((error: unknown) => {
    throw new AppError({
      kind: "denied",
      code: "ConfirmationFailed",
      message: `not done; the client could not ask the person: ${error instanceof Error ? error.message : String(error)}`,
      cause: error,
    });
  });
  if (answer.action === "accept" && answer.content?.["confirm"] !== false) return;
  throw new AppError({
    kind: "denied",
    code: "Declined",
    message: `not done; the person said no: ${question}`,
    hint: "do not try again unless the person asks for it",
  });
}
