/** Failures of the network, of TLS and of files, as Node reports them. */
import { AppError, type AppErrorInit } from "./errors.js";

type Words = Omit<AppErrorInit, "code" | "cause" | "message"> & { readonly text: string };

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection broke",
  ECONNABORTED: "the connection broke",
  EPIPE: "the connection broke",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  EHOSTDOWN: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ENETDOWN: "the network is down",
  EAI_AGAIN: "the name server does not answer",
  ENOTFOUND: "the host name is not known",
  EADDRNOTAVAIL: "no local address is free",
};

const TLS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is signed by an authority this machine does not know",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is signed by an authority this machine does not know",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate is signed by an authority this machine does not know",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority this machine does not know",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  CERT_REVOKED: "its certificate was revoked",
  CERT_UNTRUSTED: "its certificate is not trusted",
  CERT_REJECTED: "its certificate is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  HOSTNAME_MISMATCH: "its certificate is for another host",
};

const FILES: Readonly<Record<string, Words>> = {
  ENOENT: { kind: "not-found", text: "no such file or directory" },
  EACCES: { kind: "denied", text: "permission denied" },
  EPERM: { kind: "denied", text: "operation not permitted" },
  EROFS: { kind: "denied", text: "the file system is read-only" },
  EISDIR: { kind: "usage", text: "is a directory" },
  ENOTDIR: { kind: "conflict", text: "a part of the path is a file, not a directory" },
  EEXIST: { kind: "conflict", text: "exists already" },
  ENOTEMPTY: { kind: "conflict", text: "the directory is not empty" },
  EXDEV: { kind: "usage", text: "is on another file system" },
  ELOOP: { kind: "usage", text: "too many symbolic links" },
  ENAMETOOLONG: { kind: "usage", text: "the name is too long for this file system" },
  EFBIG: { kind: "unavailable", text: "the file is too large for this file system" },
  ENOSPC: { kind: "unavailable", text: "the disk is full" },
  EDQUOT: { kind: "unavailable", text: "the disk quota is used up" },
  EMFILE: { kind: "unavailable", text: "too many open files", hint: "ulimit -n 4096" },
  ENFILE: { kind: "unavailable", text: "too many open files on this machine" },
  EIO: { kind: "unavailable", text: "the disk failed" },
  EBUSY: { kind: "unavailable", text: "is in use" },
  KeysCorrupt: {
    kind: "usage",
    text: "cannot be used as the store's access keys",
    hint: "correct it, or move it away: a new key is then made on first use",
  },
  EADDRINUSE: { kind: "conflict", text: "the address is in use" },
};

/** The AppError for an error with a system code; undefined for any other. */
export function systemError(error: Error, prefix: string): AppError | undefined {
  const found = codedCause(error);
  if (found === undefined) return undefined;
  const { code, path } = found;
  const make = ({ text, ...words }: Words) =>
    new AppError({ ...words, code, message: `${prefix}${text}`, cause: error });

  if (code in TLS) {
    return make({ kind: "denied", text: TLS[code]!, hint: certificateHint(code) });
  }
  if (/^(?:EPROTO|ERR_SSL_|ERR_TLS_)/.test(code)) {
    return make({ kind: "unavailable", text: `TLS could not be agreed on (${code})` });
  }
  if (code === "EPROXY") return make({ kind: "unavailable", text: error.message });
  if (code.startsWith("HPE_")) {
    return make({ kind: "unavailable", text: `the answer is not HTTP (${code})` });
  }
  // An unknown code keeps Node's words; a file's error names the file.
  const file = FILES[code];
  if (file !== undefined) {
    const named = path === undefined || prefix.includes(path) ? "" : `${path}: `;
    return make({ ...file, text: named + file.text });
  }
  const network = NETWORK[code];
  if (network !== undefined) {
    const isWrongPlace = code === "ECONNREFUSED" || code === "ENOTFOUND";
    const hint = isWrongPlace ? "is the endpoint right? see: pail alias list" : undefined;
    return make({ kind: "unavailable", text: `${network} (${code})`, hint });
  }
  return undefined;
}

function certificateHint(code: string): string {
  return /EXPIRED|NOT_YET|REVOKED|ALTNAME|HOSTNAME/.test(code)
    ? "--insecure accepts any certificate; anybody between can then read and change everything"
    : "pass the authority's certificate with --ca-file FILE, or --insecure to accept any";
}

/** Node tries several addresses and throws an AggregateError; the first failure tells most. */
export function codedCause(error: unknown): { code: string; path?: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return { code, ...(typeof path === "string" ? { path } : {}) };
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return codedCause(inner);
}
