/**
 * Access control lists. There is one owner, so only three of them mean anything: private, public
 * to read, and public to read and write. Any other is refused, as by a service on which ACLs are
 * disabled.
 */
import {
  child,
  childText,
  childrenOf,
  type XmlContent,
  type XmlElement,
} from "../../protocol/xml.js";
import type { Acl, BucketRecord, BucketSettings } from "../records.js";
import { OWNER } from "../operations/call.js";
import { refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";

/** Canned ACLs that leave everything with the one owner there is. */
const PRIVATE = new Set(["private", "bucket-owner-full-control", "bucket-owner-read"]);

const EVERYONE = "http://acs.amazonaws.com/groups/global/AllUsers";

/** The ACL that the headers of a write ask for. Throws AccessControlListNotSupported. */
export function cannedAcl(request: StoreRequest): Acl {
  const [grant] = request.vendorHeaders("grant-");
  if (grant !== undefined) throw unsupported(`the header ${request.vendor(`grant-${grant[0]}`)}`);
  const canned = request.header(request.vendor("acl"));
  if (canned === undefined || PRIVATE.has(canned)) return undefined;
  if (canned === "public-read" || canned === "public-read-write") return canned;
  throw unsupported(canned);
}

/**
 * The same for something in this bucket, which may refuse to make anything public. Throws
 * AccessControlListNotSupported, AccessDenied.
 */
export function aclFor({ settings }: BucketRecord, acl: Acl): Acl {
  if (acl === undefined) return undefined;
  if (settings.ownership === "BucketOwnerEnforced") {
    throw refuse("AccessControlListNotSupported", "The bucket does not allow ACLs");
  }
  if (settings.publicAccessBlock?.blockAcls === true) {
    throw refuse("AccessDenied", "The bucket's public access block refuses public ACLs.");
  }
  return acl;
}

/** Whether ACLs count in a bucket with these settings. */
export function aclsCount({ ownership, publicAccessBlock }: BucketSettings): boolean {
  return ownership !== "BucketOwnerEnforced" && publicAccessBlock?.ignoreAcls !== true;
}

/** Reads an `<AccessControlPolicy>`. Throws MalformedACLError, AccessControlListNotSupported. */
export function parseAcl(document: XmlElement): Acl {
  const list = child(document, "AccessControlList");
  if (document.name !== "AccessControlPolicy" || list === undefined) {
    throw refuse("MalformedACLError");
  }
  const granted = new Set<string>();
  for (const grant of childrenOf(list, "Grant")) {
    const grantee = child(grant, "Grantee");
    const permission = childText(grant, "Permission");
    if (grantee === undefined || permission === undefined) throw refuse("MalformedACLError");
    if (childText(grantee, "ID") === OWNER.ID) continue;
    if (childText(grantee, "URI") !== EVERYONE || !/^(?:READ|WRITE)$/.test(permission)) {
      throw unsupported(`a grant of ${permission}`);
    }
    granted.add(permission);
  }
  if (granted.has("WRITE") && !granted.has("READ")) throw unsupported("a grant of WRITE alone");
  return granted.has("WRITE")
    ? "public-read-write"
    : granted.has("READ")
      ? "public-read"
      : undefined;
}

/** The content of an `<AccessControlPolicy>`. */
export function aclContent(acl: Acl): XmlContent {
  const grant = (type: string, who: XmlContent, Permission: string) => ({
    [`Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}"`]: who,
    Permission,
  });
  return {
    Owner: OWNER,
    AccessControlList: {
      Grant: [
        grant("CanonicalUser", OWNER, "FULL_CONTROL"),
        ...(acl === undefined ? [] : [grant("Group", { URI: EVERYONE }, "READ")]),
        ...(acl === "public-read-write" ? [grant("Group", { URI: EVERYONE }, "WRITE")] : []),
      ],
    },
  };
}

function unsupported(what: string): Error {
  return refuse(
    "AccessControlListNotSupported",
    `This store does not implement ${what}: an ACL is private, public-read or public-read-write.`,
  );
}
