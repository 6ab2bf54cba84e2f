import { vi } from "vitest";

/**
 * Waits until something holds, however slow the machine: only a failing test takes the half minute,
 * and then it says what it waited for.
 */
export async function until(holds: () => unknown): Promise<void> {
  await vi
    .waitUntil(() => Boolean(holds()), { timeout: 30_000, interval: 5 })
    .catch((cause: unknown) => {
      throw new Error(`waited in vain until ${String(holds).replace(/^.*?=>\s*/s, "")}`, { cause });
    });
}
