/** The server's log, on stderr, since stdout carries the protocol. */
import { oneLine } from "./text.js";

/** From nothing to everything. */
export const LOG_LEVELS = ["off", "error", "warn", "info", "debug"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Log {
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

const OUR_TARGET = /mcp|pail/;

/**
 * Reads a level, or the directives of RUST_LOG that servers of this kind are configured with:
 * `debug`, `rustfs_mcp_server=debug`, `warn,pail=debug`
 * (https://docs.rs/env_logger/latest/env_logger/#enabling-logging). A directive for a target that
 * is ours wins over a bare level, a bare level over one for another target; `trace` is `debug`.
 * Undefined when the text is neither.
 */
export function parseLogLevel(text: string): LogLevel | undefined {
  let bare: LogLevel | undefined;
  let other: LogLevel | undefined;
  for (const directive of text.split("/", 1)[0]!.split(",")) {
    const [target, word] = splitDirective(directive.trim());
    const level = levelOf(word);
    if (level === undefined) continue;
    if (target === undefined) bare = level;
    else if (OUR_TARGET.test(target)) return level;
    else other ??= level;
  }
  return bare ?? other;
}

function splitDirective(directive: string): [target: string | undefined, level: string] {
  const cut = directive.lastIndexOf("=");
  return cut < 0 ? [undefined, directive] : [directive.slice(0, cut), directive.slice(cut + 1)];
}

function levelOf(word: string): LogLevel | undefined {
  const lower = word.trim().toLowerCase();
  if (lower === "trace") return "debug";
  if (lower === "warning") return "warn";
  return LOG_LEVELS.find((level) => level === lower);
}

/**
 * A log that writes `pail-mcp <level>: <message>` at `level` and above: one line a call, whatever
 * is in the message.
 */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const at = (name: Exclude<LogLevel, "off">) =>
    LOG_LEVELS.indexOf(name) <= threshold
      ? (message: string) => write(`pail-mcp ${name}: ${oneLine(message)}\n`)
      : () => undefined;
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

/** Where an error came from, a line a frame. */
export function logStack(log: Log, error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined;
  for (const line of (stack ?? String(error)).split("\n")) log.error(line);
}
