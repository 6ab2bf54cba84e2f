/**
 * Writes docs/reference.md, every command with its arguments and flags, from oclif.manifest.json.
 * With --check it writes nothing, and fails when the page is not what it would write.
 */
import { readFileSync, writeFileSync } from "node:fs";

const PAGE = "docs/reference.md";
const { commands } = JSON.parse(readFileSync("oclif.manifest.json", "utf8"));
const HEAD = `# Reference

Every command with its arguments and flags, made from the program itself by \`npm run reference\`. Text that spans
commands, and what is worth knowing about each, stands in [commands.md](commands.md).

Every command takes \`--json\`, \`-q\`/\`--quiet\`, \`--debug\` and \`-h\`/\`--help\`.
`;

const shown = Object.values(commands).filter(({ hidden }) => !hidden);
const sorted = shown.toSorted((a, b) => (a.id < b.id ? -1 : 1));
const page = [HEAD, ...sorted.map(section)].join("\n");
if (!process.argv.includes("--check")) {
  writeFileSync(PAGE, page);
} else if (readFileSync(PAGE, "utf8") !== page) {
  console.error(`${PAGE} is stale: run \`npm run reference\` and commit it`);
  process.exit(1);
}

function section({ id, summary, description, args, flags, examples }) {
  const name = id.replaceAll(":", " ");
  const own = Object.values(flags).filter(
    ({ helpGroup, hidden }) => helpGroup !== "GLOBAL" && !hidden,
  );
  const words = Object.values(args).map(({ name, required, multiple }) => {
    const word = `${name.toUpperCase()}${multiple ? "..." : ""}`;
    return required ? word : `[${word}]`;
  });
  const rows = [
    ...Object.values(args).map((arg) => [arg.name.toUpperCase(), arg.description]),
    ...own.map((flag) => [spelling(flag), says(flag)]),
  ];
  return [
    `## ${name}\n`,
    `\`pail ${[name, ...words].join(" ")}\`\n`,
    `${summary}${description ? ` ${description}` : ""}\n`,
    ...(rows.length === 0 ? [] : ["| | |", "|---|---|", ...rows.map(row), ""]),
    ...(examples?.length
      ? ["```console", ...examples.map((example) => command(example, name)), "```\n"]
      : []),
  ].join("\n");
}

function row([left, right]) {
  const cell = (text) => (text ?? "").replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
  return `| \`${cell(left)}\` | ${cell(right)} |`;
}

function spelling({ name, char, type, options, helpValue, allowNo }) {
  const long = allowNo ? `--[no-]${name}` : `--${name}`;
  const value = type === "boolean" ? "" : ` ${options?.join("|") ?? helpValue ?? "VALUE"}`;
  return `${char ? `-${char}, ` : ""}${long}${value}`;
}

function says({ description, summary, default: given, multiple }) {
  const text = summary ?? description ?? "";
  const usual = given === undefined || given === false ? "" : ` Default: ${given}.`;
  return `${text}${text.includes("Default") ? "" : usual}${multiple ? " May be given several times." : ""}`;
}

function command(example, name) {
  const line = example.command
    .replaceAll("<%= config.bin %>", "pail")
    .replaceAll("<%= command.id %>", name);
  return `# ${example.description}\n${line.replace(/^(?!\$)/, "$ ")}`;
}
