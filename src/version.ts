import manifest from "../package.json" with { type: "json" };

/** pail's own version, from package.json. */
export const VERSION: string = manifest.version;
