import { boolean, string } from "@oclif/core/flags";

import { BaseCommand } from "../../cli/base.js";

export default class McpServe extends BaseCommand {
  static override summary = "Serve storage tools to AI assistants over MCP.";
  static override description =
    "Speaks the Model Context Protocol on stdin and stdout until stdin closes; logs to stderr. Serves the aliases named; or the endpoint that the flags or the variables CLOUD_* or AWS_* describe; or, with nothing configured, the embedded store. Prefer variables to flags for secrets: other users can see arguments.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --alias minio --read-only",
    "<%= config.bin %> <%= command.id %> --bucket photos --allow-dir ~/Pictures",
    "AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… <%= config.bin %> <%= command.id %> --endpoint-url https://s3.example.com",
  ];
  static override flags = {
    "access-key-id": string({ description: "Access key.", helpValue: "KEY" }),
    "secret-access-key": string({ description: "Secret key.", helpValue: "KEY" }),
    region: string({ description: "Region. Default us-east-1.", helpValue: "REGION" }),
    "endpoint-url": string({
      description: "Endpoint of an S3-compatible service.",
      helpValue: "URL",
    }),
    "log-level": string({
      description: "off, error, warn, info or debug; wins over RUST_LOG. Default info.",
      helpValue: "LEVEL",
    }),
    alias: string({
      description: "Serve this alias; several can be given, the first is the default.",
      helpValue: "NAME",
      multiple: true,
    }),
    "read-only": boolean({ description: "Offer no tool that changes what is stored." }),
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
    "allow-dir": string({
      description: "Touch local files only in this directory; several can be given.",
      helpValue: "DIR",
      multiple: true,
    }),
    http: string({
      description:
        "Serve Streamable HTTP on this address of this machine instead; the bearer token is PAIL_MCP_TOKEN, or printed.",
      helpValue: "HOST:PORT",
    }),
  };

  async run(): Promise<void> {
    const { flags, context, signal } = await this.open(McpServe);
    const { serve } = await import("../../mcp/index.js");
    await serve(
      context,
      {
        accessKeyId: flags["access-key-id"],
        secretAccessKey: flags["secret-access-key"],
        region: flags.region,
        endpointUrl: flags["endpoint-url"],
        logLevel: flags["log-level"] ?? (flags.quiet ? "error" : undefined),
        aliases: flags.alias ?? [],
        readOnly: flags["read-only"],
        buckets: flags.bucket ?? [],
        tools: flags.tools ?? [],
        allowDirs: flags["allow-dir"] ?? [],
        http: flags.http,
      },
      {
        stdin: process.stdin,
        stdout: process.stdout,
        stderr: process.stderr,
        cwd: process.cwd(),
        signal,
      },
    );
  }
}
