/** When lifecycle rules apply: pure functions of rules, objects and the time. */
import type { LifecycleRule, ObjectRecord, UploadRecord } from "../records.js";

const DAY = 86_400_000;

/** The midnight, UTC, at which something is that many days old: days are counted whole. */
export function midnightAfter(time: number, days: number): number {
  return Math.ceil((time + days * DAY) / DAY) * DAY;
}

/** Whether a rule is in force and speaks of this object. */
function covers(rule: LifecycleRule, { key, tags, size }: ObjectRecord): boolean {
  return (
    rule.enabled &&
    key.startsWith(rule.prefix) &&
    (rule.largerThan === undefined || size > rule.largerThan) &&
    (rule.smallerThan === undefined || size < rule.smallerThan) &&
    Object.entries(rule.tags).every(
      ([name, value]) => Object.hasOwn(tags, name) && tags[name] === value,
    )
  );
}

/** Whether a current object is to go. */
export function isExpired(
  rules: readonly LifecycleRule[],
  object: ObjectRecord,
  now: number,
): boolean {
  return rules.some((rule) => {
    if (!covers(rule, object)) return false;
    if (rule.expireDate !== undefined && now >= Date.parse(rule.expireDate)) return true;
    const { expireDays } = rule;
    return expireDays !== undefined && now >= midnightAfter(+object.lastModified, expireDays);
  });
}

/**
 * Those versions of one key, newest first, that are to go. A version is as old as the one that took
 * its place; a delete marker under which nothing is left has nothing to hide.
 */
export function expiredVersions(
  rules: readonly LifecycleRule[],
  versions: readonly ObjectRecord[],
  now: number,
): ObjectRecord[] {
  const [latest] = versions;
  if (latest === undefined) return [];
  const gone = versions.slice(1).filter((version, index) =>
    rules.some(({ noncurrentDays, noncurrentKept = 0, ...rule }) => {
      if (noncurrentDays === undefined || !covers(rule, version)) return false;
      // The first of these is the newest of those that are not current.
      if (index < noncurrentKept) return false;
      return now >= midnightAfter(+versions[index]!.lastModified, noncurrentDays);
    }),
  );
  const alone = latest.deleteMarker && gone.length === versions.length - 1;
  const marked = rules.some(
    (rule) =>
      covers(rule, latest) &&
      (rule.expireMarkers === true ||
        // A rule that expires objects clears up after itself.
        (rule.expireDays !== undefined &&
          now >= midnightAfter(+latest.lastModified, rule.expireDays))),
  );
  return alone && marked ? [...gone, latest] : gone;
}

/** Whether an unfinished upload is to be aborted. */
export function isAbandoned(
  rules: readonly LifecycleRule[],
  { key, initiated }: UploadRecord,
  now: number,
): boolean {
  return rules.some(
    ({ enabled, prefix, abortUploadsDays }) =>
      enabled &&
      key.startsWith(prefix) &&
      abortUploadsDays !== undefined &&
      now >= midnightAfter(+initiated, abortUploadsDays),
  );
}
