/**
 * Headers that ask for what this store does not do. Ignoring one would be a false success: data
 * believed encrypted or locked.
 */
import { OWNER } from "./operations/call.js";
import { notImplemented, refuse } from "./refuse.js";
import type { StoreRequest } from "./request.js";

const UNSUPPORTED = [
  "server-side-encryption",
  "copy-source-server-side-encryption",
  "object-lock-",
  "website-redirect-location",
  "write-offset-bytes",
  "rename-source",
];

/** Throws NotImplemented, or AccessDenied for a bucket expected to be somebody else's. */
export function refuseUnsupported(request: StoreRequest): void {
  for (const [name] of request.vendorHeaders("")) {
    // The only encryption there is uses keys that customers keep.
    const own = /^(?:copy-source-)?server-side-encryption-customer-/.test(name);
    if (!own && UNSUPPORTED.some((prefix) => name.startsWith(prefix))) {
      throw notImplemented(`the header ${request.vendor(name)}`);
    }
  }
  const lock = request.header(request.vendor("bucket-object-lock-enabled"));
  if (lock?.toLowerCase() === "true") throw notImplemented("object lock");
  for (const name of ["expected-bucket-owner", "source-expected-bucket-owner"]) {
    const owner = request.header(request.vendor(name));
    if (owner !== undefined && owner !== OWNER.ID) throw refuse("AccessDenied");
  }
}
