/** Cuts pages of any length into batches of at most `size`. */
export async function* inBatches<T>(
  pages: AsyncIterable<readonly T[]>,
  size: number,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const page of pages) {
    for (const item of page) {
      batch.push(item);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
