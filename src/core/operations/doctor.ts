/**
 * The problems that can be found with the machine, the configuration, the endpoints, the clock, the
 * certificates and the terminal. Nothing is changed; an endpoint is asked for its buckets.
 */
import { exposureOf } from "../config/file.js";
import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { TLSSocket } from "node:tls";

import type { Directories } from "../config/paths.js";
import type { ResolvedAlias } from "../config/types.js";
import { readAll } from "../../protocol/message.js";
import { type AppError, isAppError } from "../failures/errors.js";
import { toAppError } from "../failures/map.js";
import type { SignedClient } from "../http/client.js";
import { proxyFor } from "../http/proxy.js";
import { bucketService } from "../storage/buckets.js";

/** One thing that was looked at. A problem keeps somebody from working; a note may. */
export interface Finding {
  /** `runtime`, `config`, `environment`, `directory`, `terminal`, or `alias NAME`. */
  readonly check: string;
  readonly state: "ok" | "note" | "problem";
  readonly text: string;
  readonly hint?: string | undefined;
  /** For a problem: the error that a command would end with. */
  readonly error?: AppError | undefined;
}

/** The machine as the process that asks sees it. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Node's version, `v20.19.0`; undefined when pail does not run on Node. */
  readonly node: string | undefined;
  /** Undefined when stdout is not a terminal. */
  readonly terminal: { columns: number; rows: number; colors: number } | undefined;
  readonly now: () => number;
}

export interface DoctorOptions {
  readonly machine: Machine;
  readonly directories: Directories;
  /** Throws when the configuration cannot be read. */
  readonly aliases: () => Promise<readonly ResolvedAlias[]>;
  readonly client: (alias: ResolvedAlias) => Promise<SignedClient>;
  /**
   * Only these aliases; all of them when empty. Throws like `aliases` for a name that does not
   * exist.
   */
  readonly only: readonly ResolvedAlias[];
  readonly signal: AbortSignal;
}

/**
 * Services refuse a signature that is 15 minutes off; pail corrects its own, other tools do not.
 */
const CLOCK_NOTE_MS = 60_000;
const ANSWER_LIMIT = 16 * 1024 * 1024;
const CERTIFICATE_NOTE_MS = 14 * 24 * 3600_000;
/** The SDK that pail is built with leaves this version in January 2027. */
const LEAVING = 20;

/** Looks at one thing after another; an endpoint that does not answer keeps nothing else waiting. */
export async function* diagnose(options: DoctorOptions): AsyncGenerator<Finding> {
  const { machine, directories } = options;
  yield runtime(machine);
  yield* terminal(machine);
  yield* environment(machine.env);
  for (const [name, path] of Object.entries(directories)) {
    if (name !== "configFile") yield await directory(name, path);
  }
  yield await configMode(directories.configFile);
  let aliases: readonly ResolvedAlias[];
  try {
    aliases = options.only.length > 0 ? options.only : await options.aliases();
  } catch (error) {
    yield problem("config", error);
    return;
  }
  for (const alias of aliases) {
    if (alias.origin === "built-in" && (await isMissing(directories.store))) {
      yield { check: `alias ${alias.name}`, state: "ok", text: "the store is not there yet" };
    } else {
      yield* endpoint(alias, options);
    }
  }
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

function runtime({ node }: Machine): Finding {
  const check = "runtime";
  if (node === undefined) return { check, state: "ok", text: "the single executable" };
  const text = `Node ${node}`;
  if (Number(/^v(\d+)/.exec(node)?.[1]) > LEAVING) return { check, state: "ok", text };
  const hint = "install Node 22 or newer before the AWS SDK leaves Node 20, in January 2027";
  return { check, state: "note", text, hint };
}

function* terminal({ terminal: size, env }: Machine): Generator<Finding> {
  const check = "terminal";
  if (size === undefined) return yield { check, state: "ok", text: "stdout is no terminal" };
  const { columns, rows, colors } = size;
  const text = `${columns}×${rows}, ${colors >= 24 ? "true color" : `${2 ** colors} colors`}`;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  if (columns < 60 || rows < 12) {
    yield { check, state: "note", text, hint: "the console wants at least 60×12" };
  } else if (!/utf-?8/i.test(locale)) {
    const hint = "names that are not ASCII may look wrong: export LANG=C.UTF-8";
    yield { check, state: "note", text: `${text}, locale ${locale || "not set"}`, hint };
  } else {
    yield { check, state: "ok", text };
  }
}

/** Settings from outside that change what every endpoint does. */
function* environment(env: Machine["env"]): Generator<Finding> {
  const check = "environment";
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    const text = "NODE_TLS_REJECT_UNAUTHORIZED=0: any certificate is accepted, whoever made it";
    yield { check, state: "note", text, hint: "unset it, and name the authority: --ca-file" };
  }
  const pairs = [["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]] as const;
  for (const [key, secret] of pairs) {
    if ((env[key] === undefined) !== (env[secret] === undefined)) {
      const missing = env[key] === undefined ? key : secret;
      yield { check, state: "note", text: `${missing} is not set, its other half is` };
    }
  }
  for (const name of ["AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_REGION"]) {
    if (env[name] === "") yield { check, state: "note", text: `${name} is set, but empty` };
  }
}

async function directory(name: string, path: string): Promise<Finding> {
  const check = "directory";
  // A directory that does not exist yet is made in the nearest one that does.
  for (let at = path; ; at = dirname(at)) {
    try {
      await access(at, constants.W_OK | constants.X_OK);
      return { check, state: "ok", text: `${name}: ${path}` };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(at) !== at) continue;
      return problem(check, error, `${name}: ${at}`);
    }
  }
}

async function configMode(path: string): Promise<Finding> {
  const check = "config";
  let found: Stats;
  try {
    found = await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return problem(check, error, path);
    return { check, state: "ok", text: `${path}: not there yet` };
  }
  const hint = exposureOf(path);
  if (hint === undefined) return { check, state: "ok", text: path };
  const mode = (found.mode & 0o777).toString(8);
  const text = `others can reach ${path} (mode ${mode}), which holds secrets`;
  return { check, state: "note", text, hint };
}

async function* endpoint(alias: ResolvedAlias, options: DoctorOptions): AsyncGenerator<Finding> {
  const { machine, signal } = options;
  const check = `alias ${alias.name}`;
  const isRemote = alias.origin !== "built-in";
  try {
    const proxy = isRemote ? proxyFor(alias.url, machine.env) : undefined;
    if (proxy !== undefined) {
      yield { check, state: "note", text: `through the proxy ${proxy.host}` };
    } else if (alias.url.protocol === "https:") {
      yield await certificate(check, alias.url, machine);
    }
    if (alias.insecure) {
      yield { check, state: "note", text: "any certificate is accepted (insecure)" };
    }
    const client = await options.client(alias);
    const asked = machine.now();
    const answer = await client.rawRequest({ method: "GET", signal });
    await readAll(answer.body, ANSWER_LIMIT);
    const took = machine.now() - asked;
    const date = Date.parse(answer.headers["date"] ?? "");
    if (isRemote && !Number.isNaN(date)) yield* clock(check, date - (asked + took / 2));
    await bucketService(client).list({ signal });
    yield { check, state: "ok", text: `answers in ${Math.round(took)}ms` };
  } catch (error) {
    if (signal.aborted) throw error;
    const denied = isAppError(error) && error.code === "AccessDenied";
    if (denied) {
      yield { check, state: "ok", text: "answers; this key may not list buckets" };
    } else {
      yield problem(check, error);
    }
  }
}

/** Says how far the clock is from the service's; `offset` is the service's minus this one. */
function* clock(check: string, offset: number): Generator<Finding> {
  const far = Math.abs(offset);
  if (far < CLOCK_NOTE_MS) return;
  const minutes = Math.round(far / 60_000);
  const text = `this clock is ${minutes} min ${offset > 0 ? "behind" : "ahead of"} the service's`;
  const hint = "set the clock: links that are presigned here end early, or begin late";
  yield { check, state: "note", text, hint };
}

/** Whether the certificate ends soon. One that is not trusted shows when the endpoint is asked. */
async function certificate(check: string, url: URL, { now }: Machine): Promise<Finding> {
  const { connect } = await import("node:tls");
  const host = url.hostname.replaceAll(/^\[|\]$/g, "");
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    // Only its dates are read, and nothing is sent: who made it is judged by the request.
    const made: TLSSocket = connect(
      {
        host,
        port: Number(url.port || 443),
        rejectUnauthorized: false,
        timeout: 10_000,
        ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      },
      () => resolve(made),
    );
    made.once("error", reject);
    made.once("timeout", () => made.destroy(new Error("no answer within 10 s")));
  });
  const end = Date.parse(socket.getPeerCertificate().valid_to);
  socket.destroy();
  const day = new Date(end).toISOString().slice(0, 10);
  if (end - now() > CERTIFICATE_NOTE_MS) {
    return { check, state: "ok", text: `certificate until ${day}` };
  }
  const hint = "the service's certificate wants renewing";
  return { check, state: "note", text: `certificate only until ${day}`, hint };
}

function problem(check: string, thrown: unknown, about?: string): Finding {
  const error = toAppError(thrown, about ?? check);
  return { check, state: "problem", text: error.message, hint: error.hint, error };
}
