/** Local times in a fixed width. */

/** `2026-11-20 18:12`; a dash for a time nobody knows. */
export function formatTime(ms: number | undefined): string {
  if (ms === undefined || Number.isNaN(ms)) return "–";
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `2026-11-20 18:12:05`, where a minute would not tell one from the other. */
export function formatSeconds(ms: number | undefined): string {
  const minutes = formatTime(ms);
  return ms === undefined
    ? minutes
    : `${minutes}:${String(new Date(ms).getSeconds()).padStart(2, "0")}`;
}
