import manifest from "../package.json" with { type: "json" };

/** pail's own version, from package.json. */
export const VERSION: string = manifest.version;

const { arch, platform, version, versions } = process;

/** What runs pail, for `--version` and help: Node, or the runtime inside the single executable. */
export const PROGRAM = `pail/${VERSION} ${platform}-${arch} ${
  versions["bun"] === undefined ? `node-${version}` : `bun-v${versions["bun"]}`
}`;
