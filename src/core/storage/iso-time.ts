const DAY = 86_400_000;
let lastDay = "";
let lastDayTime = 0;

/**
 * Milliseconds since the epoch of `text[from..to)`, an ISO 8601 time such as
 * `2009-10-12T17:50:30.000Z`; undefined when it is not one.
 *
 * Listings carry one for every key, most of them of few different days, so the day is remembered
 * and only the clock is read digit by digit. Anything but the usual form goes to Date.parse.
 */
export function isoTime(text: string, from: number, to: number): number | undefined {
  const usual =
    to - from >= 20 &&
    text.charCodeAt(from + 10) === 0x54 /* T */ &&
    text.charCodeAt(from + 13) === 0x3a /* : */ &&
    text.charCodeAt(from + 16) === 0x3a &&
    text.charCodeAt(to - 1) === 0x5a; /* Z */
  if (!usual) return parsed(text.slice(from, to));

  if (!text.startsWith(lastDay, from) || lastDay === "") {
    const day = text.slice(from, from + 10);
    const time = parsed(`${day}T00:00:00Z`);
    if (time === undefined) return undefined;
    lastDay = day;
    lastDayTime = time;
  }
  const seconds = pair(text, from + 11) * 3600 + pair(text, from + 14) * 60 + pair(text, from + 17);
  let fraction = 0;
  let unit = 100;
  for (let i = from + 20; i < to - 1 && unit >= 1; i++, unit /= 10) {
    fraction += (text.charCodeAt(i) - 0x30) * unit;
  }
  const clock = seconds * 1000 + fraction;
  return clock >= 0 && clock < DAY ? lastDayTime + clock : parsed(text.slice(from, to));
}

function pair(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}

function parsed(text: string): number | undefined {
  const time = Date.parse(text.trim());
  return Number.isNaN(time) ? undefined : time;
}
