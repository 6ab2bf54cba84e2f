/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const FORM = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const RESERVED_PREFIX = /^(?:xn--|sthree-|amzn-s3-demo-)/;
const RESERVED_SUFFIX = /(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Whether a bucket may be called so. */
export function isBucketName(name: string): boolean {
  return (
    FORM.test(name) &&
    !name.includes("..") &&
    !IPV4.test(name) &&
    !RESERVED_PREFIX.test(name) &&
    !RESERVED_SUFFIX.test(name)
  );
}
