import { boolean, integer } from "@oclif/core/flags";

import { any, examples } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { canAsk, confirm } from "../../cli/prompt.js";
import { AppError, usageError } from "../../core/failures/errors.js";
import { formatCount } from "../../text/format.js";

export default class McpUndo extends BaseCommand {
  static override summary = "Undo what AI assistants changed through pail mcp serve.";
  static override description =
    "Without a name, lists what was changed in the last seven days, newest last. With names, or --last, puts back what was there before, byte for byte, wherever it still is as the assistant left it; what has been changed since stays as it is. Exits with 7 when something could not be undone.";
  static override examples = examples({
    "": "List what agents changed",
    "tovih15a4f-3": "Put one change back",
    "--last 5 --yes": "Put the last five calls back, without a question",
  });
  static override args = { names: any("The names from the list or from a result's undo field.") };
  static override flags = {
    last: integer({ description: "Undo the last calls, this many.", helpValue: "N", min: 1 }),
    yes: boolean({ char: "y", description: "Do not ask." }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(McpUndo);
    const { allChanges, changeName, groupsOf, undoAll } = await import("../../mcp/index.js");
    const all = await allChanges(context);
    const groups = groupsOf(all);
    const names = args.names ?? [];
    const chosen =
      flags.last === undefined
        ? groups.filter(({ name }) => names.includes(name))
        : groups.slice(-flags.last);
    if (names.length === 0 && flags.last === undefined) {
      for (const { name, changes } of groups) {
        const [first] = changes;
        const undone = changes.every((change) => change.undone !== undefined);
        const record = {
          undo: name,
          at: first!.at,
          tool: first!.tool,
          changes: changes.length,
          first: changeName(first!),
          undone,
        };
        output.result(
          record,
          `${name}  ${first!.at}  ${first!.tool}  ${formatCount(changes.length, "change")}  ${record.first}${undone ? "  undone" : ""}`,
        );
      }
      if (groups.length === 0) output.note("no assistant has changed anything");
      return;
    }
    const unknown = names.find((name) => !groups.some((group) => group.name === name));
    if (unknown !== undefined) throw noSuchChange(unknown);
    const changes = chosen.flatMap((group) =>
      group.changes.filter((change) => change.undone === undefined),
    );
    if (changes.length === 0) return output.note("nothing left to undo");
    if (!flags.yes) {
      if (!canAsk()) throw needsYes(changes.length);
      const question = `Undo ${formatCount(changes.length, "change")}, first ${changeName(changes.at(-1)!)}?`;
      if (!(await confirm(question, signal))) return;
    }
    const results = await undoAll(context, changes, all, signal);
    for (const { change, problem } of results) {
      const name = changeName(change);
      if (problem === undefined) output.result({ undone: name }, `undid ${change.kind} of ${name}`);
      else output.itemError({ name }, problem);
    }
    const failed = results.filter(({ problem }) => problem !== undefined).length;
    if (failed > 0) throw partly(failed, results.length);
  }
}

function noSuchChange(name: string): AppError {
  return new AppError({
    kind: "not-found",
    code: "NoSuchChange",
    message: `there is no change called ${name}`,
    hint: "pail mcp undo",
  });
}

function needsYes(changes: number): AppError {
  return usageError(
    "ConfirmationRequired",
    `${formatCount(changes, "change")} would be undone, and there is nobody to ask`,
    "add --yes",
  );
}

function partly(failed: number, all: number): AppError {
  return new AppError({
    kind: "partial",
    code: "PartialFailure",
    message: `${failed} of ${formatCount(all, "change")} could not be undone`,
  });
}
