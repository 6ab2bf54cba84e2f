/** The declarations of a command's arguments, flags and examples. Nothing is read from stdin unasked. */
import { string } from "@oclif/core/args";
import { string as flag } from "@oclif/core/flags";

/** One argument that must be given; `options` are the only words it may be. */
export const one = (description: string, options?: readonly string[]) =>
  string({
    description,
    required: true,
    ignoreStdin: true,
    ...(options !== undefined && { options: [...options] }),
  });

/** One argument that may be left out. */
export const optional = (description: string) => string({ description, ignoreStdin: true });

/** One argument or more. */
export const many = (description: string) =>
  string({ description, required: true, multiple: true, ignoreStdin: true });

/** Any number of arguments. */
export const any = (description: string) =>
  string({ description, multiple: true, ignoreStdin: true });

/** A flag with a value, which help shows as `helpValue`. */
export const valueFlag = (
  description: string,
  helpValue: string,
  more: { helpGroup?: string; exclusive?: string[]; dependsOn?: string[] } = {},
) => flag({ description, helpValue, ...more });

/** Where most commands look. */
export const BELOW = "alias, alias/bucket or alias/bucket/prefix";

/** Examples with what each does, by the words behind the command; by the whole line after a `$ `. */
export function examples(lines: Readonly<Record<string, string>>) {
  return Object.entries(lines).map(([words, description]) => ({
    description,
    command: words.startsWith("$ ")
      ? words
      : `<%= config.bin %> <%= command.id %> ${words}`.trimEnd(),
  }));
}
