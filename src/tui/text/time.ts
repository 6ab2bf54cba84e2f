/** Local times in a fixed width. */
import { createTimeFormat } from "../../text/format.js";

/** The letters of the zone are not shown. */
const local = createTimeFormat((ms) => ({
  offsetMs: new Date(ms).getTimezoneOffset() * -60_000,
  suffix: "",
}));

/** `2026-11-20 18:12`; a dash for a time nobody knows. */
export function formatTime(ms: number | undefined): string {
  return formatSeconds(ms).slice(0, "2026-11-20 18:12".length);
}

/** `2026-11-20 18:12:05`, where a minute would not tell one from the other. */
export function formatSeconds(ms: number | undefined): string {
  return ms === undefined || Number.isNaN(ms) ? "–" : local(ms).slice(1);
}
