import { setTimeout as delay } from "node:timers/promises";

import { string } from "@oclif/core/flags";

import { examples, many } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { remote } from "../cli/locations.js";
import { forEachTarget } from "../cli/several.js";
import { createContext } from "../context.js";
import { isAppError } from "../core/failures/errors.js";
import { bucketService } from "../core/storage/buckets.js";
import { formatDuration } from "../text/format.js";
import { parseDuration } from "../text/units.js";

/** The pause between two tries, in milliseconds. */
const PAUSE = 250;

export default class Ping extends BaseCommand {
  static override summary = "Ask whether an endpoint answers.";
  static override description = `Lists the buckets once, with the alias's credentials. An endpoint that answers but does not let this key list is alive; a wrong secret or an unknown key is an error. With --wait it is asked until it answers, for compose files and scripts that start a service.

Exit code 0 when it answers, 6 when it does not, 4 when it refuses the credentials.`;
  static override examples = examples({
    local: "Is it there, and how fast?",
    "--wait 30s local": "Wait until a service that is starting answers",
  });
  static override args = { aliases: many("alias") };
  static override flags = {
    wait: string({ description: "Try again until then.", helpValue: "DURATION", default: "0" }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Ping);
    const { output, signal } = session;
    const end = Date.now() + parseDuration(flags.wait) * 1000;
    // Each try is a single attempt: ping waits by itself, so waiting here would be waiting twice.
    const context = createContext({ ...session.context.env, AWS_MAX_ATTEMPTS: "1" });
    try {
      await forEachTarget(session, args.aliases, async (text) => {
        const { alias } = await remote(context, text.replace(/\/$/, ""), "alias");
        const client = await context.client(alias);
        for (;;) {
          const start = performance.now();
          try {
            await bucketService(client).list({ signal });
          } catch (error) {
            const answered = isAppError(error) && error.code === "AccessDenied";
            const later = isAppError(error) && error.kind === "unavailable" && Date.now() < end;
            if (later) {
              await delay(PAUSE, undefined, { signal });
              continue;
            }
            if (!answered) throw error;
          }
          const ms = Math.round(performance.now() - start);
          const took = ms < 1000 ? `${ms}ms` : formatDuration(ms / 1000);
          output.result({ type: "ping", alias, ms }, `${alias} answers in ${took}`);
          return;
        }
      });
    } finally {
      context.close();
    }
  }
}
