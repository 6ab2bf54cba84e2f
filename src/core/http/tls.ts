/** The certificates and checks of an endpoint's TLS. */
import { readFile } from "node:fs/promises";

import { AppError } from "../failures/errors.js";
import { toAppError } from "../failures/map.js";

export interface TlsSettings {
  /** PEM file of authorities to trust besides the usual ones. */
  readonly caFile?: string | undefined;
  /** Accepts any certificate. */
  readonly insecure?: boolean | undefined;
  /** Node's own variable for more authorities, which naming authorities would switch off. */
  readonly extraCaFile?: string | undefined;
}

/**
 * Options for tls.connect. One secure context serves every connection: reading some hundred and
 * fifty authorities costs more than a handshake. Throws an AppError (usage) for a bad CA file.
 */
export async function tlsOptions(settings: TlsSettings) {
  const tls = await import("node:tls");
  const options = { rejectUnauthorized: settings.insecure !== true, ALPNProtocols: ["http/1.1"] };
  if (settings.caFile === undefined) return options;
  const own = await readPem(settings.caFile);
  try {
    const ca = [...(await usualAuthorities(tls, settings.extraCaFile)), own];
    return { ...options, secureContext: tls.createSecureContext({ ca }) };
  } catch (error) {
    throw badFile(settings.caFile, error);
  }
}

/** The authorities that Node trusts by default; Node 22.15 and later can be asked for them. */
async function usualAuthorities(
  tls: typeof import("node:tls") & { getCACertificates?: (type: "default") => string[] },
  extraCaFile: string | undefined,
): Promise<readonly string[]> {
  if (tls.getCACertificates !== undefined) return tls.getCACertificates("default");
  return extraCaFile ? [...tls.rootCertificates, await readPem(extraCaFile)] : tls.rootCertificates;
}

async function readPem(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw toAppError(error, `reading the CA file ${file}`);
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----")) throw badFile(file, undefined);
  return text;
}

function badFile(file: string, cause: unknown): AppError {
  const message = `${file} holds no PEM certificate`;
  return new AppError({ kind: "usage", code: "BadCaFile", message, cause });
}

/**
 * Whether TLS answers at an origin that was taken for plain HTTP: a TLS server closes such a
 * connection without a word. Nothing is sent but the handshake.
 */
export async function speaksTls(origin: string, timeout: number): Promise<boolean> {
  const url = new URL(origin);
  if (url.protocol !== "http:") return false;
  const { connect } = await import("node:tls");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(url.port) || 80, rejectUnauthorized: false });
    const answer = (speaks: boolean) => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(timeout, () => answer(false));
    socket.once("secureConnect", () => answer(true));
    socket.on("error", () => answer(false));
  });
}
