/** The times of signed requests. */
import { refuse } from "../refuse.js";

const MAX_SKEW_MS = 15 * 60 * 1000;

/** `20130524T000000Z` in milliseconds since the epoch; undefined when it is not of that form. */
export function parseTimestamp(text: string): number | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second] = found;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** The inverse of parseTimestamp. */
export function formatTimestamp(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
}

/** Throws RequestTimeTooSkewed when the clocks are more than 15 minutes apart. */
export function checkSkew(requestTime: number, serverTime: number): void {
  if (Math.abs(serverTime - requestTime) <= MAX_SKEW_MS) return;
  throw refuse("RequestTimeTooSkewed", undefined, {
    RequestTime: formatTimestamp(requestTime),
    ServerTime: new Date(serverTime).toISOString(),
    MaxAllowedSkewMilliseconds: String(MAX_SKEW_MS),
  });
}
