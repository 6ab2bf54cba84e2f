/** The words and flags of other tools (mc, aws, s5cmd, rclone, s3cmd, rsync), in those of pail. */

/** Flags: ours, where the command at hand has it, and theirs. */
const FLAGS: readonly (readonly [ours: string, theirs: string])[] = [
  ["--force", "-f -y --yes --dangerous"],
  ["--recursive", "-R --recurse"],
  ["--dry-run", "-n --dryrun --fake"],
  ["--delete", "--remove --delete-removed --delete-after --delete-during --delete-before"],
  ["--preserve", "-a -p --archive --keep-attr"],
  ["--include", "--filter --rinclude"],
  ["--exclude", "--rexclude"],
  ["--exclude-from", "--filter-from --rexclude-from"],
  ["--files-from", "--include-from --files-from0"],
  ["--larger", "--min-size"],
  ["--smaller", "--max-size"],
  ["--older-than", "--min-age"],
  ["--newer-than", "--max-age"],
  ["--max-depth", "--maxdepth"],
  ["--depth", "--max-depth --maxdepth"],
  ["--no-clobber", "--ignore-existing --skip-existing --immutable"],
  ["--ignore-existing", "--parents"],
  ["--update", "--if-source-newer --newer"],
  ["--compare size", "--size-only --if-size-differ"],
  ["--compare mtime", "--exact-timestamps"],
  ["--backup", "--backup-dir --backup-prefix"],
  ["--no-follow-symlinks", "-P --skip-links"],
  [
    "--concurrency",
    "-j --parallel --max-workers --numworkers --transfers --checkers --jobs --workers",
  ],
  ["--part-size", "--s3-chunk-size --multipart-chunk-size-mb --chunk-size"],
  ["--limit-upload", "--bwlimit --limit-rate"],
  ["--retries", "--retry-count --low-level-retries --max-retries"],
  ["--checksum", "--checksum-algorithm --md5"],
  ["--metadata", "--attr --meta"],
  ["--tag", "--tags --tagging"],
  ["--header", "-H --custom-header --add-header --grants --website-redirect"],
  ["--content-type", "--mime-type --no-guess-mime-type"],
  ["--acl public-read", "--acl-public"],
  ["--storage-class", "--sc --s3-storage-class"],
  ["--sse aws:kms:KEY", "--sse-kms-key-id --enc-kms"],
  ["--sse AES256", "--enc-s3 --server-side-encryption"],
  ["--sse-c-key", "--enc-c --sse-c --sse-customer-key --sse-c-copy-source"],
  ["--version-id", "--vid"],
  ["--versions", "--all-versions --s3-versions"],
  ["--at", "--rewind --s3-version-at"],
  ["--expires", "--expire --expires-in -E"],
  ["--literal", "--raw"],
  ["--by class", "-g --group"],
  ["--null", "--print0 --null-terminated"],
  ["--credentials anonymous", "--anonymous --no-sign-request"],
  ["--path-style", "--path --lookup --force-path-style --addressing-style"],
  ["--ca-file", "--ca-bundle --ca-cert"],
  ["--insecure", "--no-verify-ssl --no-check-certificate"],
  ["--quiet", "--only-show-errors --no-progress --silent"],
  ["--trace", "-v --verbose --dump --log --log-level"],
  ["--json", "--output --format"],
];

/** Flags whose answer is elsewhere, by what theirs match; some only for a command. */
const ELSEWHERE: readonly (readonly [theirs: RegExp, hint: string, command?: RegExp])[] = [
  [
    /^--(?:access[-_]key(?:-id)?|secret[-_]key|secret-access-key)$/,
    "keys go behind the URL, a secret better unseen: pail alias set NAME URL ACCESS_KEY",
  ],
  [
    /^--(?:endpoint(?:-url)?|host(?:-bucket)?|url)$/,
    "an alias has the endpoint: pail alias set NAME URL",
  ],
  [
    /^--profile$/,
    "an alias has the profile: pail alias set NAME URL --credentials chain --profile P",
  ],
  [/^--(?:.*-)?region$/, "an alias has the region: pail alias set NAME URL --region R"],
  [
    /^--(?:no-sign-request|anonymous)$/,
    "an alias says so: pail alias set NAME URL --credentials anonymous",
  ],
  [
    /^--(?:insecure|no-verify-ssl|no-check-certificate|ca-bundle)$/,
    "an alias says whom to trust: pail alias set NAME URL --ca-file FILE, or --insecure",
  ],
  [/^(?:-C|--config|--config-dir)$/, "the variable PAIL_CONFIG_DIR says where the aliases are"],
  [/^--no-color$/, "the variable NO_COLOR=1 takes the colours away"],
  [/^(?:-I|--incomplete)$/, "pail uploads list shows unfinished uploads"],
  [/^(?:-e|--etag)$/, "--json has it"],
  [/^-(?:[lh]+|-human-readable(?:-sizes)?|-humanize)$/, "sizes are shown so; --json has the bytes"],
  [
    /^-(?:r|R|-recursive)$/,
    "it takes all that is below",
    /(?:sync|mirror|diff|du|find|tree|grep)$/,
  ],
  [
    /^(?:-[cLP]|--(?:continue|follow-symlinks|copy-links|skip-errors|progress|fast-list))$/,
    "pail does so by itself",
  ],
];

/** The cure for a flag that a command has not; `known` are those it has. */
export function cureOfFlag(
  flag: string,
  known: readonly string[],
  command: string,
): string | undefined {
  const rows = FLAGS.filter(([, theirs]) => theirs.split(" ").includes(flag));
  const own = rows.find(([ours]) => known.includes(ours.split(" ")[0]!))?.[0];
  if (own !== undefined) return `did you mean ${own}?`;
  const fits = ([theirs, , only]: (typeof ELSEWHERE)[number]) =>
    theirs.test(flag) && only?.test(command) !== false;
  return ELSEWHERE.find(fits)?.[1];
}

/** The words of other tools for the commands of pail. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  copy: "cp",
  copyto: "cp",
  delete: "rm",
  remove: "rm",
  move: "mv",
  rcat: "pipe",
  mkdir: "mb",
  rmdir: "rb",
  link: "presign",
  signurl: "presign",
  size: "du",
  info: "stat",
  ncdu: "tui",
  configure: "alias set",
  config: "alias set",
  "alias add": "alias set",
  "alias ls": "alias list",
  "alias rm": "alias remove",
  "tag ls": "tag list",
  "tag rm": "tag remove",
  "tag get": "tag list",
  "version info": "version status",
  list: "ls",
  lsjson: "ls",
  upload: "put",
  download: "get",
  purge: "rm",
  check: "diff",
  md5sum: "stat",
  hashsum: "stat",
  ready: "ping",
  watch: "sync --watch",
  retention: "lock",
  legalhold: "lock",
  setpolicy: "policy",
  setacl: "anonymous",
  cleanup: "uploads abort",
  abortmp: "uploads abort",
  multipart: "uploads list",
};

/** The words of other tools for what pail leaves out, and where it is to be had. */
export const LEFT_OUT: readonly (readonly [words: RegExp, hint: string])[] = [
  [
    /^(?:event|replicate|notification|website|encrypt|quota|inventory|logging)$/,
    "pail api sends S3's own request for it: pail api --help",
  ],
  [/^(?:admin|support|idp|license)$/, "administering a service is the work of its own tool"],
  [
    /^(?:mount|nfsmount|bisync|sql|select|od|speedtest|batch|update|touch|dedupe)$/,
    "pail leaves this to other tools: docs/coming-from.md",
  ],
];
