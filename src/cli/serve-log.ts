/** The lines of a server about its requests and its own failures, for people or programs. */
import type { Answered } from "../context.js";
import { visible, visibleJson } from "../text/sanitize.js";

export interface ServeLog {
  readonly onAnswer?: ((answered: Answered) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface ServeLogOptions {
  readonly what: "requests" | "errors" | "off";
  readonly json: boolean;
  /** Takes a line without its end. */
  readonly write: (line: string) => void;
}

/** Makes the log. Text from strangers is escaped in it, and the store has left secrets out. */
export function createServeLog({ what, json, write }: ServeLogOptions): ServeLog {
  if (what === "off") return {};
  const onError = (error: unknown) => {
    const time = new Date().toISOString();
    const { code } = error as NodeJS.ErrnoException;
    const message = error instanceof Error ? error.message : String(error);
    if (json) write(visibleJson({ type: "error", time, code, message }));
    else write(`${time} error ${visible(`${code ?? "failure"}: ${message}`)}`);
  };
  if (what === "errors") return { onError };
  const onAnswer = ({ time, ...answered }: Answered) => {
    if (json) return write(visibleJson({ type: "request", time: time.toISOString(), ...answered }));
    const { peer, accessKeyId, method, target, status, code, bytes, milliseconds } = answered;
    const words = [
      time.toISOString(),
      peer ?? "-",
      accessKeyId ?? "-",
      method,
      target,
      code === undefined ? status : `${status} ${code}`,
      `${bytes}B`,
      `${Math.round(milliseconds)}ms`,
      answered.requestId,
    ];
    write(visible(words.join(" ")));
  };
  return { onAnswer, onError };
}
