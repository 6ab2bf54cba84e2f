/**
 * The letters of the local time zone (`CST`, `CEST`). JavaScript knows long names only, and its
 * Intl takes tens of milliseconds to start, so they are read where every other program on the
 * machine reads them: the last line of the zone's file is a POSIX rule such as
 * `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636 section 3.3).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface ZoneName {
  readonly name: string;
  /** East of Greenwich. */
  readonly minutes: number;
}

let names: readonly ZoneName[] | undefined;

/** The abbreviation in use at `date`, when the local offset is `minutes` east of Greenwich. */
export function zoneAbbreviation(date: Date, minutes: number): string {
  names ??= posixNames(readRule());
  return names.find((zone) => zone.minutes === minutes)?.name ?? initials(date) ?? offset(minutes);
}

function readRule(): string {
  const zone = process.env["TZ"]?.replace(/^:/, "");
  const file = zone ? join("/usr/share/zoneinfo", zone) : "/etc/localtime";
  try {
    return readFileSync(file, "latin1").trimEnd().split("\n").at(-1) ?? "";
  } catch {
    // No zone database, as on Windows: the runtime's own names have to do.
    return "";
  }
}

/** Standard and daylight names of a POSIX TZ rule, in which offsets count west. */
export function posixNames(rule: string): ZoneName[] {
  const match =
    /^(<[^>]+>|[A-Za-z]+)([+-]?\d+(?::\d+)?)(?:(<[^>]+>|[A-Za-z]+)([+-]?\d+(?::\d+)?)?)?/.exec(
      rule,
    );
  if (match === null) return [];
  const [, standard = "", west = "", daylight, daylightWest] = match;
  const minutes = eastMinutes(west);
  const zones = [{ name: standard.replace(/[<>]/g, ""), minutes }];
  if (daylight !== undefined) {
    const ahead = daylightWest === undefined ? minutes + 60 : eastMinutes(daylightWest);
    zones.push({ name: daylight.replace(/[<>]/g, ""), minutes: ahead });
  }
  return zones;
}

function eastMinutes(west: string): number {
  const [hours = "0", minutes = "0"] = west.replace(/^[+-]/, "").split(":");
  const size = Number(hours) * 60 + Number(minutes);
  return west.startsWith("-") ? size : 0 - size;
}

/** `China Standard Time` is CST; undefined when the runtime has no such English name. */
function initials(date: Date): string | undefined {
  const long = /\(((?:[A-Z][a-z]+ )+Time)\)$/.exec(date.toString())?.[1];
  if (long === "Coordinated Universal Time") return "UTC";
  return long?.replace(/[a-z ]/g, "");
}

function offset(minutes: number): string {
  const size = Math.abs(minutes);
  const digits = String(Math.floor(size / 60) * 100 + (size % 60)).padStart(4, "0");
  return `${minutes < 0 ? "-" : "+"}${digits}`;
}
