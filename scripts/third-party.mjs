/**
 * Writes what the bundles hold of other people's work, from the bundler's own account of it:
 * THIRD-PARTY.txt with each package's licence, and sbom.cdx.json, a CycloneDX 1.6 list of them.
 * Both are the same for the same input, so that two builds of a commit are.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^([^:]*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;

/** Writes both files into `directory`; `metafiles` are esbuild's. Throws when a licence is missing. */
export function writeThirdParty(directory, metafiles) {
  const folders = new Set();
  for (const { inputs } of metafiles) {
    for (const name of Object.keys(inputs)) {
      const folder = PACKAGE.exec(name)?.[1];
      if (folder !== undefined) folders.add(folder);
    }
  }
  const found = [...folders].map(describe);
  const packages = new Map(found.map((item) => [`${item.name}@${item.version}`, item]));
  const sorted = [...packages].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  writeFileSync(join(directory, "THIRD-PARTY.txt"), licences(sorted));
  writeFileSync(join(directory, "sbom.cdx.json"), `${JSON.stringify(sbom(sorted), null, 1)}\n`);
}

function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { folder, name, version, license };
}

/** Every licence text once, below the names of the packages that come under it. */
function licences(packages) {
  const names = new Map();
  for (const { folder, name, version, license } of packages) {
    const files = readdirSync(folder).filter((file) => LICENCE.test(file) && !file.endsWith(".js"));
    const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
    if (license === undefined) throw new Error(`${name} names no licence`);
    const text = texts.join("\n\n");
    names.set(text, [...(names.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...names].map(([text, list]) => `${list.join("\n")}\n\n${text}\n`);
  return parts.join(`\n${"-".repeat(72)}\n\n`);
}

function sbom(packages) {
  const self = describe(".");
  const purl = ({ name, version }) => `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const component = (item, type) => ({
    type,
    "bom-ref": purl(item),
    name: item.name,
    version: item.version,
    licenses: [{ expression: item.license }],
    purl: purl(item),
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component(self, "application") },
    components: packages.map((item) => component(item, "library")),
  };
}
