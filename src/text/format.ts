/** Sizes, times and durations as people read them. */
import { zoneAbbreviation } from "./zone.js";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** Bytes in IEC units as mc writes them: `13B`, `1.2MiB`, `39KiB`; one decimal below 10. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const tenths = Math.round(value * 10);
  return tenths < 100
    ? `${(tenths / 10).toFixed(1)}${UNITS[unit]}`
    : `${roundHalfEven(tenths / 10)}${UNITS[unit]}`;
}

/** Ties go to the even neighbour, as in the formatting mc uses. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + (floor % 2) : Math.round(value);
}

/** Writes local times; keeps what it found out about the zone and the day, for long listings. */
export interface TimeFormat {
  /** `[2025-08-01 10:01:08 CST]` for milliseconds since the epoch. */
  (ms: number): string;
}

// Daylight saving starts and ends on a quarter of an hour everywhere.
const QUARTER = 900_000;
const DAY = 86_400_000;

interface Zone {
  readonly offsetMs: number;
  readonly suffix: string;
}

/**
 * A formatter for local times. Asking the runtime for a zone is slow, so the answer is kept for
 * each quarter of an hour met: a million lines cost arithmetic, not a million look-ups.
 */
export function createTimeFormat(zoneAt: (ms: number) => Zone = localZone): TimeFormat {
  const zones = new Map<number, Zone>();
  const days = new Map<number, string>();
  let quarter = Number.NaN;
  let zone: Zone = { offsetMs: 0, suffix: "" };
  // Objects that were written together have one time.
  let last = { second: Number.NaN, text: "" };
  return (ms) => {
    const second = Math.floor(ms / 1000);
    if (second === last.second) return last.text;
    const now = Math.floor(ms / QUARTER);
    if (now !== quarter) {
      quarter = now;
      const known = zones.get(now);
      zone = known ?? zoneAt(now * QUARTER);
      if (known === undefined) zones.set(now, zone);
    }
    const local = ms + zone.offsetMs;
    const day = Math.floor(local / DAY);
    let date = days.get(day);
    if (date === undefined) {
      date = new Date(day * DAY).toISOString().slice(0, 10);
      days.set(day, date);
    }
    const seconds = Math.floor((local - day * DAY) / 1000);
    const clock = `${TWO[Math.floor(seconds / 3600)]}:${TWO[Math.floor(seconds / 60) % 60]}:${TWO[seconds % 60]}`;
    last = { second, text: `[${date} ${clock}${zone.suffix}` };
    return last.text;
  };
}

const TWO = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));

function localZone(ms: number): Zone {
  const date = new Date(ms);
  const minutes = -date.getTimezoneOffset();
  return { offsetMs: minutes * 60_000, suffix: ` ${zoneAbbreviation(date, minutes)}]` };
}

/** Seconds as `0.04s`, `7s`, `1m05s`, `2h03m`, `3d04h`. */
export function formatDuration(seconds: number): string {
  if (seconds > 0 && seconds < 1) return `${seconds.toFixed(2)}s`;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  const [big, small, units] =
    whole < 3600
      ? [Math.floor(whole / 60), whole % 60, "ms"]
      : whole < 86_400
        ? [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), "hm"]
        : [Math.floor(whole / 86_400), Math.floor((whole % 86_400) / 3600), "dh"];
  return `${big}${units[0]}${String(small).padStart(2, "0")}${units[1]}`;
}

/** `1 object`, `2 objects`; thousands are separated. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** `12,345`. The runtime's own formatting takes 40 ms to start. */
export function formatNumber(count: number): string {
  if (count < 1000) return `${count}`;
  return `${formatNumber(Math.floor(count / 1000))},${String(count % 1000).padStart(3, "0")}`;
}
