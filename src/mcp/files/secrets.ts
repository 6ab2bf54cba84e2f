/** Secrets by what a file says, whatever it is called. */
import { type FileHandle, open } from "node:fs/promises";

/** Forms of secrets, each with what a person calls it. Matched against bytes read as latin-1. */
const FORMS: readonly (readonly [what: string, form: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ["a private key", /PuTTY-User-Key-File-\d|\(private-key\s*\(|openssh-key-v1\0/],
  ["an age key", /AGE-SECRET-KEY-1[A-Z0-9]{20}/],
  ["an AWS secret key", /aws_?secret_?access_?key["']?\s*[=:]\s*["']?[A-Za-z0-9/+]{40}/i],
  [
    "an AWS key pair",
    /\bA(?:KIA|SIA)[A-Z2-7]{16}\b[^]{0,200}?\b[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/,
  ],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60})/],
  ["a GitLab token", /\bglpat-[\w-]{20}/],
  ["a Slack token", /\bxox[abeoprs]-[\w-]{10}/],
  ["a Google key", /\bAIza[\w-]{35}/],
  ["a Stripe key", /\b[rs]k_live_[A-Za-z0-9]{16}/],
  ["an API key", /\bsk-(?:ant-|proj-|or-v1-)?[\w-]{32}/],
  ["an npm token", /\bnpm_[A-Za-z0-9]{36}|_authToken\s*=\s*\S{16}/],
  ["a PyPI token", /\bpypi-[\w-]{50}/],
  ["a Hugging Face token", /\bhf_[A-Za-z0-9]{30}/],
  ["a DigitalOcean token", /\bdo[opr]_v1_[a-f0-9]{64}/],
  ["a Telegram token", /\b\d{8,10}:AA[\w-]{33}\b/],
  ["a service account", /"private_key(?:_id)?"\s*:\s*"/],
  ["OAuth tokens", /"(?:refresh_token|access_token|oauth_token|id_token)"\s*:\s*"[^"]{20}/],
  ["a Kubernetes key", /\b(?:client-key-data|token):\s*[A-Za-z0-9+/=._-]{40}/],
  ["Docker credentials", /"auths"\s*:\s*\{[^]{0,400}?"(?:auth|identitytoken)"\s*:\s*"/],
  ["a login", /^[ \t]*machine\s+\S+\s+login\s+\S+\s+password\s+\S/m],
  [
    "a password in a URL",
    /\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqps?|https?|ftp):\/\/[^\s/:@]+:[^\s/@]{6,}@/,
  ],
  [
    "a password or token",
    /^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?["']?[\w.-]*(?:secret|passw(?:or)?d|api_?key|access_?key|(?:auth|access|api|bot)_?token|private_?key)["']?[ \t]*[=:][ \t]*["']?[^\s"'<>${}()[\],;]{12,}["']?,?[ \t\r]*$/im,
  ],
  [
    "a wallet",
    /"(?:kdf|kdfparams)"\s*:[^]{0,300}?"(?:ciphertext|mac)"\s*:|\0\x05\x31\x62|bestblock_nomerkle/,
  ],
  [
    "saved passwords",
    /CREATE TABLE (?:logins|moz_logins|cookies|moz_cookies)\b|"encryptedPassword"\s*:/,
  ],
  ["password hashes", /^[\w-]+:\$(?:1|2[aby]|5|6|y|argon2\w*)\$\S+/m],
];

/** Files that are secrets by their first bytes. */
const MAGIC: readonly (readonly [what: string, bytes: string])[] = [
  ["a password database", "\x03\xd9\xa2\x9a"],
  ["a key store", "\xfe\xed\xfe\xed"],
  ["a key store", "\xce\xce\xce\xce"],
  ["a keychain", "kych"],
  ["a keyring", "GnomeKeyring"],
];

const PIECE = 1024 * 1024;
/** Bytes at a piece's end that are looked at once more with the next: longer than any form. */
const OVERLAP = 4096;
/**
 * The most bytes of a file that are looked at; of a larger file, half of them are its first and
 * half its last. Secrets are small files.
 */
const LOOKED_AT = 4 * PIECE;

/**
 * The kind of secret that a file holds; undefined when none was found. Reads at most 4 MiB: of a
 * larger file, the first two and the last two.
 */
export async function findSecret(path: string, size: number): Promise<string | undefined> {
  const file = await open(path, "r");
  try {
    const half = LOOKED_AT / 2;
    if (size <= LOOKED_AT) return await scan(file, 0, size);
    return (await scan(file, 0, half)) ?? (await scan(file, size - half, size));
  } finally {
    await file.close();
  }
}

async function scan(file: FileHandle, from: number, to: number): Promise<string | undefined> {
  const buffer = Buffer.alloc(PIECE + OVERLAP);
  for (let at = from; at < to; at += PIECE) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - at), at);
    if (bytesRead === 0) return undefined;
    const found = secretIn(buffer.subarray(0, bytesRead), at === 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The kind of secret that bytes hold; `start` says that they are a file's first. */
export function secretIn(bytes: Buffer, start: boolean): string | undefined {
  const text = bytes.toString("latin1");
  const magic = start ? MAGIC.find(([, head]) => text.startsWith(head)) : undefined;
  if (magic !== undefined) return magic[0];
  const found = FORMS.find(([, form]) => form.test(text))?.[0];
  if (found !== undefined || !start) return found;
  // UTF-16, as Windows' tools write it, has a NUL beside each ASCII character.
  const wide = /^(?:\xff\xfe|\xfe\xff)/.test(text) ? text.replaceAll("\0", "") : undefined;
  return wide === undefined ? undefined : FORMS.find(([, form]) => form.test(wide))?.[0];
}
