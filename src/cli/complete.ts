/** The words that a shell may complete: commands, flags and their values, names on services. */

/** The parts of the manifest that are needed. */
export interface Manifest {
  readonly commands: Readonly<Record<string, CommandEntry>>;
}

interface CommandEntry {
  readonly summary?: string;
  readonly hidden?: boolean;
  readonly args: Readonly<
    Record<string, { readonly description?: string; readonly multiple?: boolean }>
  >;
  readonly flags: Readonly<Record<string, FlagEntry>>;
}

interface FlagEntry {
  readonly name: string;
  readonly char?: string;
  readonly type: "boolean" | "option";
  readonly description?: string;
  readonly options?: readonly string[];
}

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Local files are welcome as well; the shell knows them better. */
  readonly files: boolean;
}

/** Finds names on services: `local/` for `lo`, the buckets that begin with `b` for `local/b`. */
export type Locations = (word: string) => Promise<readonly string[]>;

/** Completes the last of the words behind `pail`. */
export async function complete(
  words: readonly string[],
  { commands }: Manifest,
  locations: Locations,
): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const names = before.filter((word) => !word.startsWith("-"));
  const id = commandOf(names, commands);
  const command = id === undefined ? undefined : commands[id];
  if (id === undefined || command === undefined) {
    return { candidates: nextWords(names, current, commands), files: false };
  }
  const literal = before.includes("--");
  const assigned = literal ? null : /^--([\w-]+)=(.*)$/s.exec(current);
  if (assigned !== null) return valuesOf(command.flags[assigned[1]!], current, `--${assigned[1]}=`);
  if (current.startsWith("-") && !literal)
    return { candidates: flagsOf(command, current), files: false };
  const flag = literal ? undefined : flagNamed(before.at(-1) ?? "", command);
  if (flag?.type === "option") return valuesOf(flag, current, "");

  // Subcommands stand beside the arguments of a command such as `serve`.
  const deeper = nextWords(names, current, commands);
  const given = names.length - id.split(":").length;
  const arg = argAt(command, given)?.description ?? "";
  const found = /\balias\b/.test(arg) ? await locations(current) : [];
  return {
    candidates: [...deeper, ...found.map((value) => ({ value }))],
    files: /local|file|where to/.test(arg),
  };
}

/** The longest command the words begin with. */
function commandOf(words: readonly string[], commands: Manifest["commands"]): string | undefined {
  for (let count = Math.min(words.length, 3); count > 0; count -= 1) {
    const id = words.slice(0, count).join(":");
    if (Object.hasOwn(commands, id)) return id;
  }
  return undefined;
}

/** The words that may come next in the name of a command. */
function nextWords(
  names: readonly string[],
  current: string,
  commands: Manifest["commands"],
): Candidate[] {
  const start = names.map((name) => `${name}:`).join("");
  const found = new Map<string, string | undefined>();
  for (const [id, { summary, hidden }] of Object.entries(commands)) {
    if (hidden === true || !id.startsWith(start)) continue;
    const [word, ...rest] = id.slice(start.length).split(":");
    if (!word!.startsWith(current)) continue;
    if (rest.length === 0) found.set(word!, summary);
    else if (!found.has(word!)) found.set(word!, undefined);
  }
  return [...found].map(([value, description]) => ({ value, description })).toSorted(byValue);
}

function flagsOf({ flags }: CommandEntry, current: string): Candidate[] {
  return Object.values(flags)
    .map(({ name, description }) => ({ value: `--${name}`, description }))
    .concat({ value: "--help", description: "Show help." })
    .filter(({ value }) => value.startsWith(current))
    .toSorted(byValue);
}

function flagNamed(word: string, { flags }: CommandEntry): FlagEntry | undefined {
  return Object.values(flags).find(
    ({ name, char }) => word === `--${name}` || (char !== undefined && word === `-${char}`),
  );
}

function valuesOf(flag: FlagEntry | undefined, current: string, prefix: string): Completion {
  const candidates = (flag?.options ?? [])
    .map((option) => ({ value: prefix + option }))
    .filter(({ value }) => value.startsWith(current));
  const takesFile = /(?:-file|-from|-cert|-key|^plan|^apply|^data)$/.test(flag?.name ?? "");
  return { candidates, files: flag?.options === undefined && takesFile };
}

/** The argument of the next word; one of many words leaves the last ones to those after it. */
function argAt({ args }: CommandEntry, given: number) {
  const all = Object.values(args);
  const many = all.findIndex(({ multiple }) => multiple);
  // Any word but the first may be one of SOURCES… or TARGET; both are places.
  return many >= 0 && given >= many ? all[many] : all[given];
}

function byValue(a: Candidate, b: Candidate): number {
  return a.value < b.value ? -1 : 1;
}
