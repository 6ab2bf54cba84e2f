import manifest from "../package.json" with { type: "json" };

/** pail's own version, from package.json. */
export const VERSION: string = manifest.version;

const { arch, platform, version, versions } = process;

/** Pail and its runtime, for `--version` and help: Node, or that of the single executable. */
export const PROGRAM = `pail/${VERSION} ${platform}-${arch} ${
  versions["bun"] === undefined ? `node-${version}` : `bun-v${versions["bun"]}`
}`;
