import { readFile } from "node:fs/promises";

import { boolean, directory, integer, option, string } from "@oclif/core/flags";

import { examples } from "../../cli/args.js";
import { parseDialect } from "../../cli/alias-setup.js";
import { BaseCommand } from "../../cli/base.js";
import { createServeLog } from "../../cli/serve-log.js";
import {
  insecureNote,
  notListening,
  parseAddress,
  reachLines,
  rootCredentials,
  storeFolder,
  untilAborted,
} from "../../cli/serve-lines.js";
import { contentTypeOf } from "../../core/content-type.js";
import { AppError } from "../../core/failures/errors.js";
import { DIALECT_PRESETS } from "../../protocol/dialect.js";

/** Rules count in days, so a run every hour is soon enough. */
const LIFECYCLE_MS = 3_600_000;

/** Threads that wait for the disk, for as many writers; Node has four unless told. */
const SYNCS_AT_ONCE = "16";

const names = (text: string) => text.split(",").map((name) => name.trim());

export default class Serve extends BaseCommand {
  static override summary = "Serve the embedded store to every S3 client.";
  static override description = `Exposes the directory behind the alias "local" over HTTP, or over HTTPS with --tls-cert and --tls-key. Other pail processes may use the directory at the same time. Requests must be signed with one of the store's access keys (pail serve key list), or with PAIL_ROOT_USER and PAIL_ROOT_PASSWORD where these are set; without a signature only what is public can be read.

/_health and /_ready tell a monitor how the server is. Ctrl-C finishes the requests under way, then ends; a second one ends at once.`;
  static override examples = examples({
    "": "Serve the store on this machine",
    "--temp --bucket photos,logs --log requests": "A store for a test, gone afterwards",
    "--address 0.0.0.0:9000 --tls-cert cert.pem --tls-key key.pem":
      "For other machines, over HTTPS",
  });
  static override flags = {
    address: string({
      description: "Where to listen; port 0 takes a free one.",
      helpValue: "HOST:PORT",
      default: "127.0.0.1:9000",
    }),
    "tls-cert": string({ description: "PEM file of the certificate.", dependsOn: ["tls-key"] }),
    "tls-key": string({ description: "PEM file of its key.", dependsOn: ["tls-cert"] }),
    bucket: string({
      description: "Buckets to make unless they are there.",
      helpValue: "NAME,…",
      multiple: true,
    }),
    public: string({
      description: "Buckets that everyone may list and get objects of, without a key.",
      helpValue: "NAME,…",
      multiple: true,
    }),
    seed: directory({
      description: "Folder whose folders are buckets, and their files objects, to make if missing.",
      exists: true,
    }),
    temp: boolean({ description: "Serve a new store in a temporary folder, removed at the end." }),
    domain: string({
      description: "Domain below which buckets are hosts, besides localhost.",
      helpValue: "DOMAIN,…",
      multiple: true,
    }),
    region: string({ description: "The one region it is in. Default: whatever is signed for." }),
    dialect: string({
      description: "Spelling of the signature: aws, google, or SCHEME,infix,service,terminator.",
      default: "aws",
    }),
    log: option({
      options: ["requests", "errors", "off"] as const,
      description: "Lines to write to stderr, in JSON with --json.",
      default: "errors" as const,
    })(),
    "stop-timeout": integer({
      description: "Seconds that requests under way are given when it is asked to stop.",
      min: 0,
      default: 8,
    }),
  };

  // The server has a deadline of its own, after which it ends.
  protected override readonly graceMs = Number.POSITIVE_INFINITY;

  async run(): Promise<void> {
    // Syncs that wait together cost the disk little more than one. Before the first file is opened.
    process.env["UV_THREADPOOL_SIZE"] ??= SYNCS_AT_ONCE;
    const { flags, context, output, signal } = await this.open(Serve);
    const address = parseAddress(flags.address);
    const dialect = parseDialect(flags.dialect);
    const root = rootCredentials(context.env);
    const log = createServeLog({
      what: flags.log,
      json: flags.json,
      write: (line) => process.stderr.write(`${line}\n`),
    });
    const [{ createStore }, { listen }] = await Promise.all([
      import("../../store/index.js"),
      import("../../store/node-server.js"),
    ]);
    const folder = await storeFolder(flags.temp ? undefined : context.directories.store);
    try {
      const isPublic = (flags.public ?? []).flatMap(names);
      const store = createStore({
        directory: folder.path,
        region: flags.region,
        root,
        publicBuckets: isPublic,
        domains: ["localhost", "s3.localhost", ...(flags.domain ?? []).flatMap(names)],
        dialect: typeof dialect === "string" ? DIALECT_PRESETS[dialect] : dialect,
        ...log,
      });
      const started = new Date();
      const key = root ?? (await store.keys.first());
      for (const name of [...(flags.bucket ?? []).flatMap(names), ...isPublic]) {
        await store.ensureBucket(name);
      }
      if (flags.seed !== undefined) {
        const { objects, present, skipped } = await store.seed(flags.seed, contentTypeOf);
        output.note(`seeded ${objects} objects; ${present} were there already`);
        for (const path of skipped) output.note(`skipped ${path}: it is no file within a bucket`);
      }
      const tlsFiles = await tls(flags);
      const server = await listen(store, { ...address, ...tlsFiles, onError: log.onError }).catch(
        (error: unknown) => {
          throw notListening(error, flags.address);
        },
      );
      const risk = insecureNote(server.url);
      if (risk !== undefined) output.note(risk);

      const { accessKeyId, secretAccessKey } = key;
      // A secret is shown when it was made for this store alone, or just now on a terminal.
      const fresh = "created" in key && key.created >= started && process.stdout.isTTY;
      const secret = flags.temp && root === undefined ? secretAccessKey : undefined;
      output.result(
        {
          type: "serving",
          endpoint: server.url,
          region: flags.region ?? "us-east-1",
          accessKeyId,
          ...(secret === undefined ? {} : { secretAccessKey: secret }),
          directory: folder.path,
        },
        reachLines(
          server.url,
          accessKeyId,
          folder.path,
          secret ?? (fresh ? secretAccessKey : root && ""),
        ),
      );
      const tend = () => void store.runLifecycle().catch((error: unknown) => log.onError?.(error));
      tend();
      const timer = setInterval(tend, LIFECYCLE_MS);
      await untilAborted(signal);
      clearInterval(timer);
      output.note("finishing the requests under way");
      await server.close(flags["stop-timeout"] * 1000);
    } finally {
      await folder.remove();
    }
    // Being asked to stop is how a server ends well.
    process.exitCode = 0;
  }
}

async function tls(flags: { "tls-cert"?: string | undefined; "tls-key"?: string | undefined }) {
  const { "tls-cert": cert, "tls-key": key } = flags;
  if (cert === undefined || key === undefined) return {};
  const read = (path: string) =>
    readFile(path).catch((cause: NodeJS.ErrnoException) => {
      const kind = cause.code === "ENOENT" ? "not-found" : "denied";
      const message = `cannot read ${path}: ${cause.message}`;
      throw new AppError({ kind, code: cause.code ?? "EIO", message, cause });
    });
  return { tls: { cert: await read(cert), key: await read(key) } };
}
