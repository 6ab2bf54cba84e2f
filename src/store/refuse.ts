/** The codes this store answers with, their status, and what they say when nothing better is known. */
import { StoreError } from "./errors.js";

const CODES = {
  AccessControlListNotSupported: [
    400,
    "This store knows two access control lists: private and public-read.",
  ],
  AccessDenied: [403, "Access Denied"],
  AccessForbidden: [403, "CORSResponse: CORS is not enabled for this bucket."],
  AuthorizationHeaderMalformed: [400, "The authorization header is malformed."],
  AuthorizationQueryParametersError: [400, "The authorization query parameters are malformed."],
  BadRequest: [400, "The request is not one that can be answered."],
  BadDigest: [400, "The Content-MD5 you specified did not match what was received."],
  EntityTooLarge: [400, "Your proposed upload exceeds the maximum allowed size."],
  EntityTooSmall: [400, "Your proposed upload is smaller than the minimum allowed size."],
  IllegalLocationConstraintException: [
    400,
    "The location constraint is incompatible with the region this store is in.",
  ],
  IncompleteBody: [
    400,
    "The request body does not have the number of bytes that the Content-Length header promises.",
  ],
  InternalError: [500, "We encountered an internal error. Please try again."],
  InvalidAccessKeyId: [403, "The access key ID you provided does not exist in this store."],
  InvalidArgument: [400, "Invalid argument"],
  InvalidBucketAclWithObjectOwnership: [
    400,
    "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
  ],
  InvalidBucketName: [400, "The specified bucket is not valid."],
  InvalidDigest: [400, "The Content-MD5 you specified is not valid."],
  InvalidLocationConstraint: [400, "The specified location constraint is not valid."],
  InvalidEncryptionAlgorithmError: [
    400,
    "The encryption request that you specified is not valid. The valid value is AES256.",
  ],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found. The part may not have been uploaded, or its entity tag may not match.",
  ],
  InvalidPartNumber: [416, "The requested part number is not satisfiable."],
  InvalidPartOrder: [400, "The list of parts was not in ascending order of part number."],
  InvalidPolicyDocument: [400, "The content of the form does not meet its policy's form."],
  InvalidRange: [416, "The requested range is not satisfiable."],
  InvalidRequest: [400, "Invalid request"],
  InvalidStorageClass: [400, "The storage class you specified is not valid."],
  InvalidTag: [400, "The tag you provided is not valid."],
  InvalidToken: [400, "The provided token is malformed or otherwise invalid."],
  InvalidURI: [400, "The specified URI could not be parsed."],
  KeyAlreadyExists: [409, "There is such an access key already."],
  KeyTooLongError: [400, "Your key is too long."],
  MalformedACLError: [400, "The ACL is not well-formed or did not validate."],
  MalformedPolicy: [400, "The policy is not well-formed or did not validate."],
  MalformedPOSTRequest: [
    400,
    "The body of your POST request is not well-formed multipart/form-data.",
  ],
  MalformedTrailerError: [
    400,
    "The request contained trailing data that was not well-formed or did not conform to the published schema.",
  ],
  MalformedXML: [
    400,
    "The XML you provided was not well-formed or did not validate against the published schema.",
  ],
  MaxPostPreDataLengthExceededError: [
    400,
    "Your POST request fields preceding the upload file were too large.",
  ],
  MaxMessageLengthExceeded: [400, "Your request was too big."],
  MetadataTooLarge: [400, "Your metadata headers exceed the maximum allowed metadata size."],
  MethodNotAllowed: [405, "The specified method is not allowed against this resource."],
  MissingContentLength: [411, "You must provide the Content-Length HTTP header."],
  NoSuchBucketPolicy: [404, "The bucket policy does not exist."],
  NoSuchCORSConfiguration: [404, "The CORS configuration does not exist."],
  NoSuchKey: [404, "The specified key does not exist."],
  NoSuchLifecycleConfiguration: [404, "The lifecycle configuration does not exist."],
  NoSuchPublicAccessBlockConfiguration: [
    404,
    "The public access block configuration was not found.",
  ],
  NoSuchTagSet: [404, "There is no tag set associated with the bucket."],
  NoSuchVersion: [404, "The version ID specified does not match an existing version."],
  NoSuchWebsiteConfiguration: [404, "The bucket does not have a website configuration."],
  NotImplemented: [501, "This store does not implement what the request asks for."],
  ObjectLockConfigurationNotFoundError: [
    404,
    "Object Lock configuration does not exist for this bucket.",
  ],
  OwnershipControlsNotFoundError: [404, "The bucket ownership controls were not found."],
  PreconditionFailed: [412, "At least one of the preconditions you specified did not hold."],
  ReplicationConfigurationNotFoundError: [404, "The replication configuration was not found."],
  RequestTimeTooSkewed: [
    403,
    "The difference between the request time and the server's time is too large.",
  ],
  ServerSideEncryptionConfigurationNotFoundError: [
    404,
    "The server side encryption configuration was not found.",
  ],
  SignatureDoesNotMatch: [
    403,
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
  ],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided content SHA-256 header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type Code = keyof typeof CODES;

/** Makes the StoreError of a code; throw it. */
export function refuse(
  code: Code,
  message?: string,
  details: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): StoreError {
  const [status, standard] = CODES[code];
  return new StoreError(code, status, message ?? standard, details, headers);
}

/** The refusal of what S3 can do and this store cannot. */
export function notImplemented(what: string): StoreError {
  return refuse("NotImplemented", `This store does not implement ${what}.`);
}
