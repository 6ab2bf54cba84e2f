/**
 * One request from start to end: tried, corrected and repeated where that is safe. Both the raw
 * requests and the SDK's go through here.
 */
import type { HttpResponse } from "../../protocol/message.js";
import { speaksTls, toAppError } from "../failures/map.js";
import {
  type AttemptOptions,
  type Draft,
  type Ended,
  type Try,
  explain,
  isMute,
  tryOnce,
} from "./attempt.js";
import type { Refusal } from "./corrections.js";
import { type Failure, judgeAnswer, judgeError } from "./retry.js";
import { Tries, isSettled, settle } from "./tries.js";

export interface ExchangeOptions extends AttemptOptions {
  /** Tries in all. */
  readonly maxAttempts: number;
  /** A number in [0, 1), for the jitter. */
  readonly random: () => number;
  /** Whether TLS answers at an http origin that broke the connection. */
  readonly speaksTls: (origin: string) => Promise<boolean>;
}

/** Below this size a body is on its way before a refusal could spare it. */
const EXPECT_FROM = 1024 * 1024;

/**
 * Makes the function that carries drafts out. It resolves with the last answer, whatever its
 * status, and throws the AppError of a connection that failed, of a body that could not be read,
 * or of an abort.
 */
export function createExchange(options: ExchangeOptions): (draft: Draft) => Promise<HttpResponse> {
  const { knowledge, maxAttempts, random } = options;
  /** Buckets that have taken a body: credentials, region and permission are right. */
  const proven = new Set<string | undefined>();
  let knowsExpect = true;
  let isSchemeKnown = false;

  /** Learns from a refusal; also that a server knows no Expect, or that credentials ended early. */
  const learn = (refusal: Refusal): string | undefined => {
    if (refusal.status === 417) {
      knowsExpect = false;
      return "expect";
    }
    const isExpired = /^(?:ExpiredToken|TokenRefreshRequired)/.test(refusal.error?.code ?? "");
    return isExpired ? "credentials" : knowledge.learn(refusal);
  };

  /** Finds out more when a try ends without a word. */
  const ask = async (draft: Draft, current: Try, outcome: Ended): Promise<Ended> => {
    const origin =
      outcome.type === "broken" && outcome.failure.code === "ECONNRESET"
        ? outcome.origin
        : undefined;
    const mayBeTls = !isSchemeKnown;
    isSchemeKnown = true;
    if (mayBeTls && origin !== undefined && (await options.speaksTls(origin))) {
      throw speaksTls(origin);
    }
    const isUnexplained = isMute(draft, outcome, current) && !proven.has(draft.bucket);
    return (isUnexplained ? await explain(draft, options) : undefined) ?? outcome;
  };

  return async (draft) => {
    const isLarge = (draft.body?.length ?? 0) >= EXPECT_FROM;
    const learnt: string[] = [];
    let refresh = false;
    let wasReset = false;
    let last: Ended | undefined;
    const { idempotent, signal, onRetry } = draft;
    let { tries } = draft;

    for (;;) {
      const expects = isLarge && knowsExpect && (wasReset || !proven.has(draft.bucket));
      const current: Try = { sent: 0, refresh, expects };
      const ended = await tryOnce(draft, current, options);
      let outcome: Ended;
      if (ended.type === "success") {
        isSchemeKnown = true;
        if (draft.body !== undefined) proven.add(draft.bucket);
        try {
          const accepting = draft.accept?.(ended.answer);
          if (accepting !== undefined) await accepting;
          return ended.answer;
        } catch (error) {
          if (isSettled(error)) throw error;
          outcome = { type: "broken", error: toAppError(error), failure: judgeError(error) };
        }
      } else outcome = await ask(draft, current, ended);
      if (outcome.type === "unreadable") {
        // A body that can be read once: what the try before failed of is the reason.
        if (last !== undefined && !outcome.wasRead) return conclude(last);
        throw settle(toAppError(outcome.error));
      }

      last = outcome;
      refresh = false;
      const lesson = outcome.type === "refused" ? learn(outcome.refusal) : undefined;
      if (lesson !== undefined && !learnt.includes(lesson)) {
        learnt.push(lesson);
        refresh = lesson === "credentials";
      } else {
        const failure = outcome.type === "broken" ? outcome.failure : judge(outcome);
        const isFinal = outcome.type === "refused" && !draft.retryAnswers;
        tries ??= new Tries({ max: maxAttempts, random, signal, onRetry });
        if (isFinal || !(await tries.again(failure, idempotent))) return conclude(outcome);
        wasReset = outcome.type === "broken" && outcome.origin !== undefined && current.sent > 0;
      }
      if (current.sent > 0) draft.onSent?.(-current.sent);
    }
  };
}

function judge({ answer, refusal }: Ended & { type: "refused" }): Failure {
  return judgeAnswer(answer.status, refusal.error?.code, answer.headers["retry-after"], Date.now());
}

function conclude(outcome: Ended): HttpResponse {
  if (outcome.type === "broken") throw settle(outcome.error);
  if (outcome.type === "unreadable") throw settle(toAppError(outcome.error));
  return outcome.answer;
}
