import { any, examples, one } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { remote } from "../cli/locations.js";
import { forEachTarget } from "../cli/several.js";
import { printLinks, secondsOf, type SharingInput, sharingFlags } from "../cli/sharing.js";
import { usageError } from "../core/failures/errors.js";
import { rememberShared, type Shared, sharedSoFar, shareUpload } from "../core/operations/share.js";
import { shellWord } from "../core/failures/shell-word.js";

export default class Share extends BaseCommand {
  static override summary = "Share objects for a while, and see what is shared.";
  static override description = `"download" prints URLs to read objects, as presign does. "upload" prints a curl command that uploads an object or, to a name that ends with "/", any file below it. "list" shows what was shared from here and still works; a URL cannot be taken back.`;
  static override examples = examples({
    "download --expires 12h play/photos/cat.jpg": "A URL to read, for twelve hours",
    "upload play/photos/inbox/": "A form that uploads any file below inbox/",
    list: "Links that still work",
  });
  static override args = {
    action: one("what to do", ["download", "upload", "list"]),
    objects: any("alias/bucket/key, for upload also alias/bucket/prefix/"),
  };
  static override flags = sharingFlags;

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Share);
    const { context, output } = session;
    const { action, objects = [] } = args;
    const { state } = context.directories;
    if (action === "list") {
      for (const one of sharedSoFar(state)) {
        const lines = [`${one.kind} ${one.location} until ${one.expires}`, `  ${one.url}`];
        output.result({ type: "shared", ...one }, lines);
      }
      return;
    }
    if (objects.length === 0) {
      const message = "missing argument: OBJECTS";
      throw usageError("MissingArgument", message);
    }
    const made =
      action === "upload"
        ? await printForms(session, objects, flags)
        : await printLinks(session, objects, flags, "GET");
    await rememberShared(state, made);
  }
}

async function printForms(
  session: Session,
  objects: readonly string[],
  flags: SharingInput,
): Promise<Shared[]> {
  const { context, output } = session;
  const seconds = secondsOf(flags.expires);
  const made: Shared[] = [];
  await forEachTarget(session, objects, async (text) => {
    const { alias, bucket, key } = await remote(context, text, "bucket");
    const { url, fields, note } = await shareUpload({
      alias: await context.alias(alias),
      connect: (reached) => context.connect(reached),
      bucket,
      key,
      seconds,
      servedAt: flags.address,
    });
    if (note !== undefined) output.note(note);
    const expires = new Date(Date.now() + seconds * 1000).toISOString();
    const location = `${alias}/${bucket}/${key}`;
    const form = Object.entries(fields).map(
      ([name, value]) => `-F ${shellWord(`${name}=${value}`)}`,
    );
    const curl = ["curl", shellWord(url), ...form, "-F file=@FILE"].join(" ");
    output.result({ type: "shared-upload", location, url, fields, curl, expires }, curl);
    made.push({ kind: "upload", location, url, expires });
  });
  return made;
}
