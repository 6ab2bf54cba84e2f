/** Takes secrets out of text before a model, a log or a person sees it. */

const MASK = "[redacted]";

// A placeholder, as in our own hints, is not a secret.
const PLACEHOLDER = "(?!\\[redacted\\]|…|\\.\\.\\.|<)";

/** Texts whose form shows that they carry a secret, no matter which. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Query parameters of presigned URLs, of every dialect, V2 included; also percent-encoded.
  [
    /((?:x-[a-z]+-(?:signature|credential|security-token)|awsaccesskeyid|googleaccessid|signature|security-token)(?:=|%3d))[^&\s"'<>]+/gi,
    `$1${MASK}`,
  ],
  // Headers: `Authorization: …`, `x-amz-security-token: …`.
  [/((?:authorization|x-[a-z]+-security-token|cookie)["']?\s*:\s*["']?)[^\r\n"']+/gi, `$1${MASK}`],
  // Base64 of a user and password, and what can only be a token: words have no digits in them.
  [/\b(Bearer)\s+(?=[\w.~+/-]*\d)[\w.~+/-]{12,}=*/gi, `$1 ${MASK}`],
  [/\b([Bb]asic)\s+(?=\S*(?:[a-z][A-Z]|[0-9=]))[A-Za-z0-9+/]{8,}={0,2}(?![\w.])/g, `$1 ${MASK}`],
  // The user and password of a URL. In `s3://alias@bucket/` stands no secret.
  [/\b((?:https?|ftps?|socks\w*):\/\/)[^\s/?#@"']*@/gi, `$1${MASK}@`],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"':]*:[^\s/?#@"']+@/gi, `$1${MASK}@`],
  // `secretAccessKey=…`, `"sessionToken": "…"`.
  [
    new RegExp(
      `((?:secret[_-]?(?:access[_-]?)?key|session[_-]?token|password)["']?\\s*[=:]\\s*["']?)${PLACEHOLDER}[^\\s"'&,;]+`,
      "gi",
    ),
    `$1${MASK}`,
  ],
];

// Shorter values would be found inside ordinary words.
const SHORTEST_SECRET = 6;

export type Redact = (text: string) => string;

/** A redactor for the values known to be secret, and for everything that looks like one. */
export function createRedactor(secrets: readonly (string | undefined)[]): Redact {
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.length < SHORTEST_SECRET) continue;
    known.add(secret).add(encodeURIComponent(secret));
  }
  // Longest first: one secret may begin with another.
  const values = [...known].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of values) clean = clean.replaceAll(value, MASK);
    for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
    return clean;
  };
}
