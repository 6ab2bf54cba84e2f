/** The exit codes and the variables, as help and the manual page have them. */
import { EXIT_CODES } from "../core/failures/errors.js";

type Words = readonly [usual: string, special?: Readonly<Record<string, string>>];

/** The meaning of each kind of failure, and where a command gives it another. */
const KINDS: Readonly<Record<keyof typeof EXIT_CODES, Words>> = {
  bug: ["a bug in pail"],
  usage: ["usage or configuration"],
  "not-found": [
    "not found",
    { find: "nothing found", grep: "no line found", "ilm cors policy": "none is set" },
  ],
  denied: ["denied"],
  conflict: ["conflict", { diff: "they differ", "sync mirror": "conflict, or removals withheld" }],
  unavailable: ["unavailable"],
  partial: ["some items failed", { run: "some lines failed", doctor: "several problems" }],
  interrupted: ["interrupted"],
};

/** Exit codes with their meaning, for a command or in general. */
export function exitStatus(id = ""): [code: number, meaning: string][] {
  const named = ([usual, special = {}]: Words) =>
    Object.entries(special).find(([ids]) => ids.split(" ").includes(id))?.[1] ?? usual;
  const kinds = Object.entries(KINDS) as [keyof typeof EXIT_CODES, Words][];
  const rows = kinds.map(([kind, words]): [number, string] => [EXIT_CODES[kind], named(words)]);
  // A link named mc has mc's own.
  return [[0, "done"], ...(id === "mc" ? [[1, "failed"] as [number, string]] : rows)];
}

const TRANSFERS = "cp|mv|put|get|pipe|sync|mirror|run|tui|mcp:serve";
const OFFLINE = "serve|complet|tui$|mcp:config|mc$|alias:(?:edit|export|import)";

const VARIABLES: readonly (readonly [name: string, meaning: string, ids: string])[] = [
  [
    "PAIL_HOST_<alias>",
    "An alias: https://KEY:SECRET@host; also MC_HOST_<alias>.",
    `(?!${OFFLINE})`,
  ],
  ["AWS_*", "The AWS tools' own: of the alias aws, and of profiles.", `(?!${OFFLINE})`],
  ["PAIL_CONFIG_DIR", "Where config.json is.", "alias|doctor"],
  ["PAIL_STORE_DIR", "Where the embedded store is.", "serve|doctor"],
  [
    "PAIL_STATE_DIR",
    "Where the state of interrupted copies and answers for completion are kept.",
    `(?:(?:${TRANSFERS}|share)$|complet)`,
  ],
  ["PAIL_CACHE_DIR", "Where compiled code is kept.", "doctor"],
  ["AWS_MAX_ATTEMPTS", "Tries of a request; --retries is one less.", `(?:${TRANSFERS})$`],
  ["PAIL_TIMEOUT", "Seconds that a silent connection is waited for.", `(?:${TRANSFERS}|ping)$`],
  [
    "PAIL_REQUEST_PAYER",
    "With 1, as --request-payer.",
    "(?:cp|mv|ls|rm|cat|head|tail|grep|stat|restore)$",
  ],
  [
    "HTTPS_PROXY",
    "A proxy, and HTTP_PROXY and NO_PROXY, as curl has them.",
    `(?:${TRANSFERS}|doctor|ping|alias:set)$`,
  ],
  ["NODE_EXTRA_CA_CERTS", "More authorities to trust.", "(?:doctor|ping|alias:set)$"],
  ["EDITOR", "The editor.", "alias:edit"],
  ["PAIL_MCP_TOKEN", "Bearer token of --http.", "mcp:serve"],
  ["NO_COLOR", "No color.", "tui"],
];

/** The variables that matter to a command; all of them without one. */
export function variables(id?: string): [name: string, meaning: string][] {
  return VARIABLES.filter(([, , ids]) => id === undefined || new RegExp(`^${ids}`).test(id)).map(
    ([name, meaning]) => [name, meaning],
  );
}
