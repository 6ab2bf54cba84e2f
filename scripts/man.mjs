/** Writes the manual page, every command with its arguments and flags, from oclif.manifest.json. */
import { readFileSync } from "node:fs";

/** The text of pail(1), in roff; `facts` tells the exit codes and the variables. */
export function manual({ exitStatus, variables }) {
  const { commands } = JSON.parse(readFileSync("oclif.manifest.json", "utf8"));
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const shown = Object.values(commands).filter(({ hidden }) => !hidden);
  const sorted = shown.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return [
    `.TH PAIL 1 "" "pail ${version}" "User Commands"`,
    ".SH NAME",
    "pail \\- object storage from the shell, a console and for agents",
    ".SH SYNOPSIS",
    ".B pail",
    "COMMAND [ARGUMENTS] [FLAGS]",
    ".SH DESCRIPTION",
    text("A location is alias/bucket/key. Without a command pail opens its console on a terminal."),
    text("Every command takes --json, -q, --debug, --trace and --help."),
    ".SH COMMANDS",
    ...sorted.flatMap(section),
    ".SH EXIT STATUS",
    ...exitStatus().flatMap(([code, meaning]) => [".TP", `.B ${code}`, text(meaning)]),
    ".SH ENVIRONMENT",
    ...variables().flatMap(([name, meaning]) => [".TP", `.B ${text(name)}`, text(meaning)]),
    ".SH SEE ALSO",
    text("The pages in the folder docs of the package: commands.md, configuration.md, sync.md."),
    "",
  ].join("\n");
}

function section({ id, summary, description, args, flags, examples = [] }) {
  const name = id.replaceAll(":", " ");
  const words = Object.values(args).map(({ name: word, required, multiple }) => {
    const shown = `${word.toUpperCase()}${multiple ? "..." : ""}`;
    return required ? shown : `[${shown}]`;
  });
  const own = Object.values(flags).filter(
    ({ helpGroup, hidden }) => helpGroup !== "GLOBAL" && !hidden,
  );
  return [
    `.SS "${text(["pail", name, ...words].join(" "))}"`,
    text(summary ?? ""),
    ...(description ? [".PP", text(description)] : []),
    ...own.flatMap((flag) => [".TP", `.B ${text(spelling(flag))}`, text(flag.description ?? "")]),
    ...(examples.length === 0
      ? []
      : [
          ".PP",
          "Examples:",
          ".PP",
          ".nf",
          ...examples.flatMap(({ description, command }) => [
            text(`# ${description}`),
            text(example(command, name)),
          ]),
          ".fi",
        ]),
  ];
}

function spelling({ name, char, type, options, helpValue }) {
  const value = type === "boolean" ? "" : ` ${options?.join("|") ?? helpValue ?? "VALUE"}`;
  return `${char ? `-${char}, ` : ""}--${name}${value}`;
}

function example(line, name) {
  const shown = line.replaceAll("<%= config.bin %>", "pail").replaceAll("<%= command.id %>", name);
  return shown.replace(/^\$ /, "");
}

/** Text without roff's requests and escapes. */
function text(words) {
  return words
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll(/^([.'])/gm, "\\&$1")
    .replaceAll(/\n+/g, "\n.PP\n")
    .replaceAll("…", "...")
    .replaceAll(
      /[^\0-\x7f]/g,
      (one) => `\\[u${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}
