/** Finds who signed a form's policy, with version 4 or, as boto3 does by default, with 2. */
import { algorithmOf, AWS_DIALECT, vendorHeader } from "../../protocol/dialect.js";
import { refuse } from "../refuse.js";
import { createSigningKeys, hmac, parseScope } from "./scope.js";
import { parseTimestamp } from "./time.js";
import {
  type Authenticated,
  equalBytes,
  equalHex,
  knownKey,
  type VerifierOptions,
} from "./verify.js";
import { sign2 } from "./version2.js";

/** Verifies the signature over the policy in a form's fields, by lower-case name. */
export type FormVerifier = (fields: ReadonlyMap<string, string>) => Promise<Authenticated>;

/** Makes the verifier of forms. It throws a StoreError for anything but a good signature. */
export function createFormVerifier(options: VerifierOptions): FormVerifier {
  const { dialect } = options;
  const signingKey = createSigningKeys(dialect);
  const vendor = (name: string): string => vendorHeader(dialect, name);
  return async (fields) => {
    const policy = fields.get("policy");
    if (policy === undefined) throw refuse("AccessDenied");
    const required = (name: string): string => {
      const value = fields.get(name);
      if (value) return value;
      throw refuse("InvalidArgument", `Bucket POST must contain a field named '${name}'.`, {
        ArgumentName: name,
      });
    };
    if (fields.has(vendor("security-token"))) throw refuse("InvalidToken");
    const payloadHash = "UNSIGNED-PAYLOAD";
    if (fields.has("awsaccesskeyid") && dialect.scheme === AWS_DIALECT.scheme) {
      const accessKeyId = required("awsaccesskeyid");
      const key = await knownKey(accessKeyId, options);
      const given = Buffer.from(required("signature"), "base64");
      if (!equalBytes(sign2(key.secretAccessKey, policy), given)) {
        throw refuse("SignatureDoesNotMatch", undefined, { StringToSign: policy });
      }
      return { accessKeyId, grant: key, payloadHash };
    }
    const code = "InvalidArgument";
    if (required(vendor("algorithm")) !== algorithmOf(dialect)) {
      throw refuse(code, `${vendor("algorithm")} must be ${algorithmOf(dialect)}.`);
    }
    const scope = parseScope(required(vendor("credential")), options, code);
    const date = required(vendor("date"));
    if (parseTimestamp(date) === undefined || !date.startsWith(`${scope.date}T`)) {
      throw refuse(code, `${vendor("date")} is not a time of the credential's day.`);
    }
    const key = await knownKey(scope.accessKeyId, options);
    const expected = hmac(signingKey(scope, key.secretAccessKey), policy);
    if (!equalHex(expected, required(vendor("signature")))) {
      throw refuse("SignatureDoesNotMatch", undefined, { StringToSign: policy });
    }
    return { accessKeyId: scope.accessKeyId, grant: key, payloadHash };
  };
}
