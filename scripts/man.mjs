/** Writes the manual page, every command with its arguments and flags, from oclif.manifest.json. */
import { readFileSync } from "node:fs";

/** The text of pail(1), in roff. */
export function manual() {
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
    ...EXIT_STATUS.flatMap(([code, meaning]) => [".TP", `.B ${code}`, text(meaning)]),
    ".SH ENVIRONMENT",
    ...ENVIRONMENT.flatMap(([name, meaning]) => [".TP", `.B ${text(name)}`, text(meaning)]),
    ".SH SEE ALSO",
    text("The pages in the folder docs of the package: commands.md, configuration.md, sync.md."),
    "",
  ].join("\n");
}

const EXIT_STATUS = [
  [0, "Everything asked for was done."],
  [1, "A bug in pail."],
  [2, "Usage or configuration."],
  [3, "Not found; of find and grep: none found."],
  [4, "Denied."],
  [5, "Conflict, failed precondition, different, or withheld."],
  [6, "Unavailable, after retries."],
  [7, "Some items failed or drifted."],
  [130, "Interrupted."],
];

const ENVIRONMENT = [
  ["PAIL_HOST_alias", "An alias: https://ACCESS:SECRET[:TOKEN]@host[:port]. MC_HOST_alias, too."],
  ["PAIL_CONFIG_DIR, PAIL_STORE_DIR, PAIL_STATE_DIR, PAIL_CACHE_DIR", "Where files are kept."],
  ["PAIL_TIMEOUT", "Seconds that a silent connection is waited for."],
  ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS", "As everywhere."],
  ["AWS_*", "Of the alias aws and of --credentials chain."],
];

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
          ...examples.map((line) => text(example(line, name))),
          ".fi",
        ]),
  ];
}

function spelling({ name, char, type, options, helpValue }) {
  const value = type === "boolean" ? "" : ` ${options?.join("|") ?? helpValue ?? "VALUE"}`;
  return `${char ? `-${char}, ` : ""}--${name}${value}`;
}

function example(line, name) {
  return line.replaceAll("<%= config.bin %>", "pail").replaceAll("<%= command.id %>", name);
}

/** Text in which nothing is a request or an escape of roff's. */
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
