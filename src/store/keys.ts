/** The store's access keys, in `keys.json` beside the data, readable by its owner alone. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { openDirectory } from "./disk/directory.js";
import { ifThere, replaceFile } from "../system/files.js";
import { keysCorrupt } from "./errors.js";
import { refuse } from "./refuse.js";
import type { Grant, KnownKey } from "./verify/verify.js";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The properties of a new key; those that are not given are made up. */
export interface KeyOptions extends Partial<Credentials>, Grant {
  readonly description?: string | undefined;
}

export interface AccessKey extends Credentials, Grant {
  readonly created: Date;
  readonly description?: string | undefined;
}

export interface Keys {
  /** The key made on first use, or the oldest one there is. */
  first(): Promise<AccessKey>;
  list(): Promise<Omit<AccessKey, "secretAccessKey">[]>;
  /** Throws a StoreError KeyAlreadyExists, or InvalidArgument for values that can be no key. */
  create(wanted?: KeyOptions): Promise<AccessKey>;
  /** Throws a StoreError InvalidAccessKeyId for a key that is not there. */
  remove(accessKeyId: string): Promise<void>;
}

export interface Keyring {
  readonly keys: Keys;
  /** A key; undefined when there is no such key. */
  readonly keyOf: (accessKeyId: string) => Promise<KnownKey | undefined>;
}

interface KeyFile {
  readonly version: 1;
  readonly keys: readonly StoredKey[];
}

interface StoredKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly created: string;
  readonly description?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly buckets?: readonly string[] | undefined;
}

/** How long a key that another process removed may go on working. */
const FRESH_MS = 1000;

/**
 * Opens the keys of a store directory. Nothing is read or made until it is asked for. `root` is a
 * key besides those of the directory, which may do everything.
 */
export function openKeyring(directory: string, root?: Credentials): Keyring {
  const file = join(directory, "keys.json");
  let cached: { readonly at: number; readonly keys: readonly AccessKey[] } | undefined;

  const read = async (): Promise<readonly AccessKey[]> => {
    const text = await ifThere(readFile(file, "utf8"));
    const keys = text === undefined ? [] : parseKeys(text, file);
    cached = { at: Date.now(), keys };
    return keys;
  };

  /** The keys, at most a second old. */
  const current = async (): Promise<readonly AccessKey[]> =>
    cached !== undefined && Date.now() - cached.at < FRESH_MS ? cached.keys : read();

  /** Replaces the keys under the store's lock, so that no other process's change is lost. */
  const update = async (
    change: (keys: readonly AccessKey[]) => readonly AccessKey[],
  ): Promise<readonly AccessKey[]> => {
    const disk = await openDirectory(directory);
    return disk.locks.withLock("keys.json", async () => {
      const before = await read();
      const keys = change(before);
      if (keys === before) return keys;
      await replaceFile(file, formatKeys(keys), await disk.temporary());
      cached = { at: Date.now(), keys };
      return keys;
    });
  };

  return {
    keys: {
      first: async () => {
        const [known] = await current();
        if (known !== undefined) return known;
        const keys = await update((now) =>
          now.length > 0 ? now : [makeKey({ description: "made on first use" })],
        );
        return keys[0]!;
      },
      list: async () => (await read()).map(({ secretAccessKey: _secret, ...shown }) => shown),
      create: async (wanted = {}) => {
        const key = makeKey(wanted);
        await update((keys) => {
          if (keys.every(({ accessKeyId }) => accessKeyId !== key.accessKeyId))
            return [...keys, key];
          throw refuse("KeyAlreadyExists", `There is an access key ${key.accessKeyId} already.`);
        });
        return key;
      },
      remove: async (accessKeyId) => {
        await update((keys) => {
          const rest = keys.filter((key) => key.accessKeyId !== accessKeyId);
          if (rest.length === keys.length) {
            throw refuse("InvalidAccessKeyId", undefined, { AWSAccessKeyId: accessKeyId });
          }
          return rest;
        });
      },
    },
    keyOf: async (accessKeyId) => {
      if (accessKeyId === root?.accessKeyId) return root;
      const find = (keys: readonly AccessKey[]) =>
        keys.find((key) => key.accessKeyId === accessKeyId);
      // A key that is not known may have been made just now.
      return find(await current()) ?? find(await read());
    },
  };
}

// Letters and digits only: the secret goes into URLs, shells and configuration files.
const ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const SECRET_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** An access key; a part not given is made in AWS's length: 100 bits of name, 238 of secret. */
function makeKey(wanted: KeyOptions): AccessKey {
  const key = {
    ...wanted,
    accessKeyId: wanted.accessKeyId ?? randomText(20, ID_ALPHABET),
    secretAccessKey: wanted.secretAccessKey ?? randomText(40, SECRET_ALPHABET),
    created: new Date(),
  };
  checkCredentials(key);
  return key;
}

/** Throws InvalidArgument for credentials that a signature could not carry, or anybody could guess. */
export function checkCredentials({ accessKeyId, secretAccessKey }: Credentials): void {
  if (!/^[\w.@+-]{3,128}$/.test(accessKeyId)) {
    throw refuse(
      "InvalidArgument",
      "An access key is 3 to 128 letters, digits and _ . @ + - of ASCII.",
    );
  }
  if (!/^[\x21-\x7e]{8,128}$/.test(secretAccessKey)) {
    throw refuse("InvalidArgument", "A secret key is 8 to 128 visible characters of ASCII.");
  }
}

function randomText(length: number, alphabet: string): string {
  // Bytes past the last whole multiple of the alphabet would make its beginning likelier.
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]!;
    }
  }
  return text;
}

function formatKeys(keys: readonly AccessKey[]): string {
  return `${JSON.stringify({ version: 1, keys }, undefined, 2)}\n`;
}

/** Oldest first. Throws KeysCorrupt for a file that cannot be understood. */
function parseKeys(text: string, file: string): AccessKey[] {
  try {
    const { version, keys } = JSON.parse(text) as KeyFile;
    if (version !== 1) throw new TypeError(`version ${String(version)}`);
    return keys.map(parseKey).sort((a, b) => a.created.getTime() - b.created.getTime());
  } catch {
    // Without its cause, which may quote the text, and with it a secret.
    throw keysCorrupt(file);
  }
}

function parseKey(key: StoredKey): AccessKey {
  const created = new Date(key.created);
  const isKey = typeof key.accessKeyId === "string" && typeof key.secretAccessKey === "string";
  if (!isKey || Number.isNaN(created.getTime())) throw new TypeError("not a key");
  return { ...key, created };
}
