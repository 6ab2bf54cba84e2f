/** Fails when a link in a page of this project leads to no file, or to no heading of one. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"]).toString();
const broken = pages
  .split("\n")
  .filter((page) => page !== "" && existsSync(page))
  .flatMap((page) =>
    linksOf(page)
      .filter((link) => !leads(page, link))
      .map((link) => `${page}: ${link}`),
  );
if (broken.length > 0) {
  console.error(`links that lead nowhere:\n${broken.join("\n")}`);
  process.exit(1);
}

function linksOf(page) {
  const text = readFileSync(page, "utf8").replaceAll(/```.*?```/gs, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link)
    .filter((link) => !/^\w+:/.test(link));
}

function leads(page, link) {
  const [path, heading] = link.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(file)) return false;
  return heading === undefined || (statSync(file).isFile() && anchorsOf(file).has(heading));
}

/** The names that GitHub gives to headings. */
function anchorsOf(file) {
  const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)];
  const name = (text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
  return new Set(headings.map(([, text]) => name(text)));
}
