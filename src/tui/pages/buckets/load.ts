/** Listing, making and removing buckets. */
import type { Handler } from "../../controller/deps.js";

export const listBuckets: Handler<"list-buckets"> = async (
  { context, dispatch },
  { page, alias },
  signal,
) => {
  const service = await context.buckets(alias);
  const buckets = await service.list({ signal });
  if (!signal.aborted) dispatch({ type: "buckets", page, buckets });
};

export const makeBucket: Handler<"make-bucket"> = async ({ context, dispatch }, effect) => {
  const { dialog, alias, bucket, versioning } = effect;
  const service = await context.buckets(alias);
  await service.make(bucket, { versioning });
  dispatch({ type: "bucket-made", dialog, alias, bucket });
};

export const removeBucket: Handler<"remove-bucket"> = async ({ context, dispatch }, effect) => {
  const { dialog, alias, bucket } = effect;
  const service = await context.buckets(alias);
  await service.remove(bucket);
  dispatch({ type: "bucket-removed", dialog, alias, bucket });
};
