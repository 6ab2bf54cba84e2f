/** Local times in a fixed width. */

/** `2026-11-20 18:12`; a dash for a time nobody knows. */
export function formatTime(ms: number | undefined): string {
  if (ms === undefined || Number.isNaN(ms)) return "–";
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
