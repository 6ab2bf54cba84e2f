import { boolean, option, string } from "@oclif/core/flags";

import { examples, one, optional } from "../../cli/args.js";
import { aliasConfig, tryEndpoint } from "../../cli/alias-setup.js";
import { BaseCommand } from "../../cli/base.js";

export default class AliasSet extends BaseCommand {
  static override summary = "Name an endpoint and its credentials.";
  static override description = `On a terminal you are asked for everything that is missing; the secret is not shown. In a script give the secret by --secret-key-stdin: every process of the machine can read a command line.

The endpoint is tried before the alias is saved. Aliases can also come from the environment: PAIL_HOST_<alias>=https://ACCESS:SECRET@host (and mc's MC_HOST_<alias>).`;
  static override examples = examples({
    "play https://play.min.io": "The keys are asked for",
    "$ echo $SECRET | pail alias set work https://s3.example.com AKIA123 --secret-key-stdin":
      "In a script, the secret comes in by stdin",
    "aws https://s3.amazonaws.com --credentials chain --profile work":
      "Credentials of a profile of the AWS tools",
    "gcs https://storage.googleapis.com --dialect google": "Google Cloud Storage",
    "other https://oss.example.com --dialect ACME4,acme,oss,acme4_request":
      "A service that spells the signing scheme in its own way",
  });
  static override args = {
    name: one("what you will call it"),
    url: one("http(s)://host[:port]"),
    accessKey: optional("access key id"),
    secretKey: optional("secret key; better asked for"),
  };
  static override flags = {
    "secret-key-stdin": boolean({ description: "Read the secret key from stdin." }),
    region: string({ description: "Region. Default us-east-1.", helpValue: "NAME" }),
    "path-style": option({
      description: "Bucket in the path (on) or in the host name (off).",
      options: ["auto", "on", "off"] as const,
    })(),
    dialect: string({
      description: "Spelling of the signature: aws, google, or SCHEME,infix,service,terminator.",
    }),
    "session-token": string({
      description: "Token of temporary credentials; better in the environment.",
      env: "PAIL_SESSION_TOKEN",
      noCacheDefault: true,
    }),
    "ca-file": string({ description: "PEM file of authorities to trust as well." }),
    insecure: boolean({ description: "Accept any certificate. Anybody can then listen." }),
    credentials: option({
      description:
        "static: the keys given here; chain: environment, profile, container, instance; anonymous: none.",
      options: ["static", "chain", "anonymous"] as const,
    })(),
    profile: string({ description: "Profile for --credentials chain." }),
    "no-check": boolean({ description: "Save without trying the endpoint." }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(AliasSet);
    const config = await aliasConfig({ ...args, ...flags }, signal);
    if (!flags["no-check"]) await tryEndpoint(context, args.name, config, signal);
    await context.saveAlias(args.name, config);
    output.result(
      { type: "alias-set", name: args.name, url: config.url, checked: !flags["no-check"] },
      `alias ${args.name} is ${config.url}`,
    );
    if (args.secretKey !== undefined) {
      output.note("a secret given as an argument can be seen by other users of this machine");
    }
  }
}
