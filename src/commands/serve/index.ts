import { readFile } from "node:fs/promises";

import { string } from "@oclif/core/flags";

import { parseDialect } from "../../cli/alias-setup.js";
import { BaseCommand } from "../../cli/base.js";
import { parseAddress, reachLines, untilAborted } from "../../cli/serve-lines.js";
import { AppError } from "../../core/failures/errors.js";
import { DIALECT_PRESETS } from "../../protocol/dialect.js";

export default class Serve extends BaseCommand {
  static override summary = "Serve the embedded store to every S3 client.";
  static override description = `Exposes the directory behind the alias "local" over HTTP, or over HTTPS with --tls-cert and --tls-key. Other pail processes may use the directory at the same time. Every request must be signed with one of the store's access keys: pail serve key list.

Ctrl-C finishes the requests under way, then ends; a second one ends at once.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --address 0.0.0.0:9000 --tls-cert cert.pem --tls-key key.pem",
  ];
  static override flags = {
    address: string({
      description: "Where to listen; port 0 takes a free one.",
      helpValue: "HOST:PORT",
      default: "127.0.0.1:9000",
    }),
    "tls-cert": string({ description: "PEM file of the certificate.", dependsOn: ["tls-key"] }),
    "tls-key": string({ description: "PEM file of its key.", dependsOn: ["tls-cert"] }),
    region: string({ description: "Region it says it is in.", default: "us-east-1" }),
    dialect: string({
      description: "Spelling of the signature: aws, google, or SCHEME,infix,service,terminator.",
      default: "aws",
    }),
  };

  // Requests under way are finished, however long they take.
  protected override readonly graceMs = Number.POSITIVE_INFINITY;

  async run(): Promise<void> {
    const { flags, context, output, signal } = await this.open(Serve);
    const address = parseAddress(flags.address);
    const dialect = parseDialect(flags.dialect);
    const [{ createStore }, { listen }] = await Promise.all([
      import("../../store/index.js"),
      import("../../store/node-server.js"),
    ]);
    const store = createStore({
      directory: context.directories.store,
      region: flags.region,
      dialect: typeof dialect === "string" ? DIALECT_PRESETS[dialect] : dialect,
    });
    const key = await store.keys.first();
    const server = await listen(store, { ...address, ...(await tls(flags)) });

    const { accessKeyId } = key;
    const directory = context.directories.store;
    output.result(
      { type: "serving", endpoint: server.url, region: flags.region, accessKeyId, directory },
      reachLines(server.url, accessKeyId, directory),
    );
    await untilAborted(signal);
    output.note("finishing the requests under way");
    await server.close();
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
