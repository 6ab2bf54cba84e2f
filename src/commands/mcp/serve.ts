import { boolean, string } from "@oclif/core/flags";

import { examples, valueFlag } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { interrupted } from "../../core/failures/errors.js";

export default class McpServe extends BaseCommand {
  static override summary = "Serve storage tools to AI assistants over MCP.";
  static override description =
    "Speaks the Model Context Protocol on stdin and stdout until stdin closes; logs to stderr. Serves the aliases named; or the endpoint that the flags or the variables CLOUD_* or AWS_* describe; or, with nothing configured, the embedded store. Prefer variables to flags for secrets: other users can see arguments.";
  static override examples = examples({
    "": "Every alias, over stdio",
    "--alias minio --read-only": "One alias, read-only",
    "--bucket photos --allow-dir ~/Pictures": "One bucket, and a folder of files",
    "$ AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… pail mcp serve --endpoint-url https://s3.example.com":
      "Without a config file",
  });
  static override flags = {
    "access-key-id": string({ description: "Access key.", helpValue: "KEY" }),
    "secret-access-key": string({ description: "Secret key.", helpValue: "KEY" }),
    region: string({ description: "Region. Default us-east-1.", helpValue: "REGION" }),
    "endpoint-url": valueFlag("Endpoint of an S3-compatible service.", "URL"),
    "log-level": valueFlag(
      "off, error, warn, info or debug; wins over RUST_LOG. Default info.",
      "LEVEL",
    ),
    alias: string({
      description: "Serve this alias; several can be given, the first is the default.",
      helpValue: "NAME",
      multiple: true,
    }),
    "read-only": boolean({
      description: "Offer no tool that changes what is stored, and write no local file.",
    }),
    bucket: string({
      description: "Touch only this bucket, NAME or ALIAS/NAME; several can be given.",
      helpValue: "NAME",
      multiple: true,
    }),
    tools: string({
      description: "Offer only these tools; separated by commas.",
      helpValue: "NAME,…",
      multiple: true,
      delimiter: ",",
    }),
    toolset: string({
      description: "Also offer a group of tools: edit, admin, or all; separated by commas.",
      helpValue: "NAME,…",
      multiple: true,
      delimiter: ",",
    }),
    presign: boolean({
      description: "Offer the tool that makes temporary links.",
      allowNo: true,
      default: true,
    }),
    confirm: string({
      description:
        "How what destroys or replaces is confirmed. ask: by a person where the client can ask, else by the token of a dry run; token: by the token alone; refuse: not at all.",
      helpValue: "ask|token|refuse",
      default: "ask",
    }),
    "read-limit": string({
      description: "Bytes that get_object gives unless it is asked for another number.",
      helpValue: "SIZE",
      default: "1MiB",
    }),
    "audit-log": valueFlag("Append a JSON line to this file for every call.", "FILE"),
    "undo-budget": string({
      description: "Bytes of replaced or deleted objects that are kept so that it can be undone.",
      helpValue: "SIZE",
      default: "256MiB",
    }),
    "allow-dir": string({
      description:
        "Touch local files in this directory without asking; several can be given. Default: the working directory, unless it is the home directory or above.",
      helpValue: "DIR",
      multiple: true,
    }),
    "allow-sensitive": boolean({
      description: "Also read files that look like secrets, and write files that tools run.",
    }),
    "allow-overwrite": boolean({
      description: "Replace existing local files in allowed directories without asking.",
    }),
    "allow-download": boolean({ description: "With --read-only: write local files all the same." }),
    http: valueFlag(
      "Serve Streamable HTTP on this address of this machine instead; the bearer token is PAIL_MCP_TOKEN, or printed.",
      "HOST:PORT",
    ),
  };

  async run(): Promise<void> {
    const { flags, context, signal: stopped } = await this.open(McpServe);
    // A terminal that closes ends a server; elsewhere `nohup` has to keep a command alive.
    const hangup = new AbortController();
    process.once("SIGHUP", () => hangup.abort(interrupted()));
    const signal = AbortSignal.any([stopped, hangup.signal]);
    const { serve } = await import("../../mcp/index.js");
    const { stdin, stdout, stderr } = process;
    await serve(context, flags, { stdin, stdout, stderr, cwd: process.cwd(), signal });
  }
}
