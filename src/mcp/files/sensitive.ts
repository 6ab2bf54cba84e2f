/**
 * Local names an agent has no business with: what opens doors (keys, tokens, cookies) and what
 * runs by itself (hooks, settings, start-up and build files). Data only. The allowed directories
 * are the boundary; these lists protect what is sensitive inside them.
 */

/** Names that begin with a dot and may be read all the same; in lower case. */
export const HARMLESS_DOT_NAMES =
  /^\.(?:gitignore|gitattributes|gitkeep|keep|editorconfig|dockerignore|npmignore|nvmrc|node-version|python-version|ruby-version|tool-versions|prettierrc|prettierignore|eslintrc|eslintignore|stylelintrc|browserslistrc|babelrc|swcrc|clang-format|mailmap|markdownlint|github|well-known|changeset|storybook)(?:\.(?:json|ya?ml|toml|js|md))?$/;

/** Secrets by name; matched in lower case against each segment. Reading only. */
export const SECRET_NAMES: readonly RegExp[] = [
  // Keys and certificates.
  /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?!.*\.pub$)/,
  /\.(?:pem|key|p8|p12|pfx|jks|jceks|keystore|keytab|keychain|keychain-db|kdbx?|ppk|ovpn|agekey|mobileprovision)$/,
  /^(?:authorized_keys|known_hosts|g?shadow|sudoers|master\.passwd|htpasswd)(?:[-~.].*)?$/,
  /^(?:keychains?|keyrings?|keystores?)$/,
  // Settings that carry credentials.
  /(?:^|\.)env(?:\..+)?$/,
  /^(?:.*[._-])?(?:credentials?|secrets?|passwords?|passwd|private[_-]?keys?|api[_-]?keys?|access[_-]?keys?|accesskeys)(?:[._-](?:prod|production|dev|staging|test|local|backup|bak|old|\d+))*(?:\.(?:json|ya?ml|toml|ini|txt|cfg|conf|csv|xml|properties|plist|db|sqlite3?|bak|old|enc))*$/,
  /^(?:.*[._-])?(?:auth|oauth|session)?[_-]?tokens?(?:\.(?:json|txt|ya?ml))?$/,
  /service[_-]?account.*\.json$/,
  /^(?:client[_-]?secret|.*firebase-adminsdk).*\.json$/,
  /^(?:.*[._-])?kube[_-]?config(?:[._-].*)?$/,
  /\.tfstate(?:\..*)?$/,
  /\.tfvars(?:\.json)?$/,
  /^(?:auth|hosts|gcloud|rclone|s3cfg|boto|netrc|_netrc|pgpass|my\.cnf)\.(?:json|conf|ini|cfg|txt)$/,
  /^_netrc$/,
  // Wallets and their seeds.
  /^wallet(?:\..+)?$/,
  /^utc--/,
  /(?:mnemonic|seed[_-]?phrase|recovery[_-]?(?:codes?|phrase|key))/,
  // Browsers and editors: cookies, saved passwords, state.
  /^(?:cookies|login data.*|web data|logins\.json|key[34]\.db|cert[89]\.db|cookies\.(?:sqlite|binarycookies)|signons\.sqlite|places\.sqlite|state\.vscdb)(?:[-.].*)?$/,
  // Histories of what was typed.
  /(?:^|_)history$/,
];

/** Secrets by place: the path below a root, in lower case with slashes. Reading only. */
export const SECRET_PLACES =
  /(?:^|\/)(?:library\/(?:keychains|cookies|safari|messages|mail|application support)|appdata\/(?:local|roaming)|snap\/[^/]+\/(?:common|current|\d+)|run\/secrets)(?:\/|$)/;

/** System directories: nothing in them is read or written. */
export const SYSTEM_DIRECTORIES: readonly string[] = [
  "/etc",
  "/private/etc",
  "/proc",
  "/sys",
  "/dev",
  "/boot",
  "/run",
  "/var/run",
  "/var/spool",
  "/var/lib",
  "/root",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/usr",
  "/System",
  "/Library",
  "C:\\Windows",
  "C:\\Program Files",
  "C:\\Program Files (x86)",
  "C:\\ProgramData",
];

/**
 * Names that tools run or trust by themselves, wherever they stand; matched in lower case, against
 * each segment. A segment that begins with a dot is refused besides. Writing only.
 */
export const EXECUTED_NAMES: readonly RegExp[] = [
  // Python's own, and what its tools start with.
  /\.pth$/,
  /^(?:site|user)customize\.py$/,
  /^(?:conftest|setup|noxfile|tasks|fabfile|dodo|sconstruct|wscript|__init__|__main__)(?:\.py)?$/,
  // Test runners find these by name.
  /^(?:test_.*|.*_tests?|.*_spec)\.(?:py|go|rb|c|cc|cpp|rs|dart|exs)$/,
  /\.(?:test|spec|e2e|cy|stories)\.[cm]?[jt]sx?$/,
  /^__(?:tests|mocks|snapshots)__$/,
  // Package managers.
  /^(?:pyproject|cargo|pipfile|poetry|netlify|wrangler|deno|bunfig|mise|pixi|uv|pdm|rust-toolchain)\.(?:toml|jsonc?|lock)$/,
  /^(?:pipfile|gemfile|brewfile)(?:\.lock)?$/,
  /^(?:requirements|constraints)[\w.-]*\.(?:txt|in)$/,
  /^(?:environment|conda-lock|pnpm-workspace|pnpm-lock|pubspec)\.(?:ya?ml|lock)$/,
  /^(?:yarn|bun|composer|cargo|flake|pubspec)\.lockb?$/,
  /^(?:package|package-lock|composer|lerna|nx|turbo|project|binding|tsconfig|jsconfig|deno|biome|jest|nodemon)(?:\..+)?\.(?:jsonc?|gyp)$/,
  /^npm-shrinkwrap\.json$/,
  /^go\.(?:mod|sum|work)$/,
  // Settings of tools.
  /^(?:tox|pytest|setup|mypy|pip|nose2?)\.(?:ini|cfg|conf)$/,
  /\.(?:config|conf|setup|rc)\.[cm]?[jt]sx?$/,
  /^_(?:vimrc|netrc)$/,
  // Builds.
  /^(?:gulpfile|gruntfile|jakefile|webpack|rollup|karma)(?:\..+)?\.[cm]?[jt]s$/,
  /^(?:gnu)?makefile(?:\..+)?$/,
  /\.(?:mk|gradle|gradle\.kts|csproj|fsproj|vbproj|vcxproj|props|targets|sln|cmake|bazel|bzl|gyp|gypi|nix)$/,
  /^(?:just|rake|brew|gem|pod|proc|tilt|vagrant|jenkins|docker|container|cap|guard|danger|fast|earth)file(?:\..+)?$/,
  /^(?:cmakelists\.txt|meson\.build|build\.(?:rs|xml|zig|sbt|sc|ninja)|pom\.xml|workspace|build|mix\.exs)$/,
  // Continuous integration and containers.
  /^(?:docker-compose|compose|taskfile|cloudbuild|buildspec|azure-pipelines|appveyor|bitbucket-pipelines|skaffold|codefresh|wercker)(?:\..+)?\.ya?ml$/,
  /^(?:lefthook|pre-commit|action|snapcraft|serverless|renovate|dependabot)(?:\..+)?\.(?:ya?ml|toml|json)$/,
  // Instructions that agents obey.
  /^(?:claude|agents?|gemini|copilot-instructions|skill|conventions|cursorrules)(?:\.local)?\.md$/,
  // Places that programs are looked for in.
  /^(?:hooks?|node_modules|site-packages|dist-packages|venv|env|virtualenv|autoload|autostart|bin|sbin|launchagents|launchdaemons|startup|plugins?|addons?)$/,
  // Files that a click or a loader runs.
  /\.(?:desktop|service|timer|socket|plist|lnk|url|scf|bat|cmd|com|exe|msi|scr|dll|ps1|psm1|psd1|vbs|vbe|wsf|wsh|hta|cpl|jar|reg|so|dylib|bash|zsh|fish|app|pkg|command|workflow|docm|xlsm|pptm|xll|mobileconfig|service_worker)$/,
  /\.so\.\d/,
];

/** Programs: a new one is not refused, but needs a person's yes, since others import or run it. */
export const PROGRAM_NAMES =
  /\.(?:py[cdowx]?|ipynb|[cm]?[jt]sx?|sh|rb|pl|pm|php|lua|go|rs|java|kts?|scala|groovy|c|cc|cpp|cxx|h|hh|hpp|swift|r|jl|ex|exs|erl|hs|clj|cs|fs|vb|awk|tcl|sql|vim|el|wasm|node|svelte|vue|tf|hcl)$/;
