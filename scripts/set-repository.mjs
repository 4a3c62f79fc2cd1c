// Copies the repository's address from the root's package.json into every package that is published: `repository`,
// `homepage` and `bugs` in its manifest, and absolute links in its README, because npm shows a README without the files
// beside it. Without an address at the root it does nothing.
//
//   node scripts/set-repository.mjs [FOLDER]   # FOLDER: a copy of this repository; default this one
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";

const root = process.argv[2] ?? join(import.meta.dirname, "..");
/** The one place of the address, such as `https://example.com/owner/name`. */
const { repository: url } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

if (url === undefined) console.log("no repository in the root's package.json: nothing to do");
else
  for (const group of ["packages", "tools"])
    for (const name of await readdir(join(root, group))) await setPackage(`${group}/${name}`);

async function setPackage(directory) {
  const path = join(root, directory, "package.json");
  const { name, version, description, keywords, ...rest } = JSON.parse(await readFile(path, "utf8"));
  const address = {
    homepage: `${url}/tree/main/${directory}#readme`,
    repository: { type: "git", url: `git+${url}.git`, directory },
    bugs: `${url}/issues`,
  };
  const manifest = { name, version, description, keywords, ...address, ...rest, ...address };
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
  const readme = join(root, directory, "README.md");
  await writeFile(readme, absoluteLinks(await readFile(readme, "utf8"), directory));
}

function absoluteLinks(markdown, directory) {
  return markdown.replaceAll(
    /\]\((?!\w+:|#|\/)([^)#\s]+)(#[^)\s]*)?\)/g,
    (_, path, anchor = "") => `](${url}/blob/main/${posix.join(directory, path)}${anchor})`,
  );
}
