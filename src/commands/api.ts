import { boolean, string } from "@oclif/core/flags";

import { examples, one } from "../cli/args.js";
import {
  apiSpec,
  bodyRecord,
  curlCommand,
  exitCodeOf,
  requestLines,
  responseHead,
  shownHeaders,
} from "../cli/api-lines.js";
import { BaseCommand } from "../cli/base.js";
import { remote } from "../cli/locations.js";
import { readAll } from "../protocol/message.js";
import { visible } from "../text/sanitize.js";

const LARGEST_JSON_BODY = 64 * 1024 * 1024;

export default class Api extends BaseCommand {
  static override summary = "Send one signed request and print the answer.";
  static override description = `The service's own HTTP API, for scripts and the curious: any method, query, headers and body. The body of the answer goes to stdout as it came; the exit code follows its status.

--dry-run sends nothing: it prints the request with its signature, and a curl command that would send the same. The secret key is never printed.`;
  static override examples = examples({
    "GET local": "The buckets, as the service lists them",
    "GET local/photos -Q list-type=2 -Q prefix=2025/": "A listing of its own",
    "PUT local/photos/note.txt --data 'hello' -H content-type=text/plain -i":
      "Write an object, and see the answer's headers",
    "PUT local/photos/cat.jpg --data @cat.jpg --dry-run":
      "Show the request, and a curl command that sends it",
    "DELETE local/photos/note.txt": "Remove an object, by the request that does it",
  });
  static override args = {
    method: one("GET, PUT, HEAD, POST, DELETE, …"),
    target: one("alias, alias/bucket or alias/bucket/key"),
  };
  static override flags = {
    data: string({
      char: "d",
      description: "Body: text, @file, or @- for stdin.",
      helpValue: "TEXT|@FILE",
    }),
    header: string({
      char: "H",
      description: "A header, as name=value or 'name: value'.",
      helpValue: "NAME=VALUE",
      multiple: true,
      multipleNonGreedy: true,
    }),
    query: string({
      char: "Q",
      description: "A query parameter; without a value just its name.",
      helpValue: "NAME[=VALUE]",
      multiple: true,
      multipleNonGreedy: true,
    }),
    include: boolean({ char: "i", description: "Print the status and headers before the body." }),
    "dry-run": boolean({
      description: "Print the signed request and a curl command; send nothing.",
    }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(Api);
    const target = await remote(context, args.target, "alias");
    const client = await context.client(target.alias);
    const spec = await apiSpec(args.method, target, flags);

    if (flags["dry-run"]) {
      const request = await client.signedRequest(spec);
      const { method, origin, path, query } = request;
      const headers = shownHeaders(request.headers);
      const curl = curlCommand(request, flags.data);
      const lines = [...requestLines(request), "", ...curl.split("\n")];
      output.result({ type: "request", method, origin, path, query, headers, curl }, lines);
      return;
    }

    const response = await client.rawRequest({ ...spec, signal });
    const { status, headers, body } = response;
    if (output.json) {
      const bytes = await readAll(body, LARGEST_JSON_BODY);
      output.result({ type: "response", status, headers, ...bodyRecord(bytes) });
    } else {
      if (flags.include) output.result({}, responseHead(response));
      const decoder = new TextDecoder();
      let last = 0;
      for await (const chunk of body) {
        last = chunk.at(-1) ?? last;
        await output.bytes(output.interactive ? shownText(decoder, chunk) : chunk);
      }
      // The terminal's next text begins on a line of its own.
      if (output.interactive && ![0, 10].includes(last)) await output.bytes(Buffer.from("\n"));
    }
    if (status >= 400 && !output.json) output.note(`the service answered ${status}`);
    this.endWith(exitCodeOf(status));
  }
}

/** A stranger's text as a terminal may have it: its lines, and nothing else that moves the cursor. */
function shownText(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array): Uint8Array {
  const text = decoder.decode(chunk, { stream: true });
  return Buffer.from(text.split("\n").map(visible).join("\n"));
}
