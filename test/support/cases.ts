/**
 * How many cases a property is tried with: all of them in the long proofs, a quarter in `npm test`,
 * so that it ends soon.
 */
export function cases(all: number): { readonly numRuns: number } {
  const isLong = process.env["PAIL_TEST_EVERY_CALL"] !== undefined;
  return { numRuns: isLong ? all : Math.ceil(all / 4) };
}
