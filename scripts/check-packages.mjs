// Checks packages as others will install them, by publint and by attw (are the types wrong?), for importers of modules:
// all public packages from the root, and in the folder of a package that one. One process checks all, because attw loads
// a compiler, and one tarball of each package is enough for both.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { problemKindInfo } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = dirname(import.meta.dirname);
const scratch = mkdtempSync(join(tmpdir(), "toolmount-packed-"));
const here = relative(root, process.cwd());
const folders = here === "" ? publicFolders() : [here];

/** How a package that has only modules cannot be loaded, which is no fault of it. */
const others = new Set(["node10", "node16-cjs"]);

let failed = 0;
try {
  for (const folder of folders) {
    const problems = await problemsOf(folder);
    for (const problem of problems) console.error(`${folder}: ${problem}`);
    if (problems.length > 0) failed++;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${folders.length - failed} of ${folders.length} packages are right`);
process.exitCode = failed > 0 ? 1 : 0;

/** Folders of all packages that are published, from the root. */
function publicFolders() {
  const manifests = globSync("{packages,tools}/*/package.json", { cwd: root }).toSorted();
  return manifests.map((path) => dirname(path)).filter((folder) => readManifest(folder).private !== true);
}

async function problemsOf(folder) {
  const tarball = pack(folder);
  const { messages } = await publint({ pack: { tarball }, strict: true });
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  // A package without types, such as one that is only run, has nothing to check.
  const wrong = analysis.types === false ? [] : analysis.problems;
  return [
    ...messages.map(
      (message) => `publint: ${formatMessage(message, readManifest(folder), { color: false })}`,
    ),
    ...wrong.filter(({ resolutionKind }) => !others.has(resolutionKind)).map(describe),
  ];
}

/** What a publication of the package would upload. */
function pack(folder) {
  const words = ["pack", "--json", "--pack-destination", scratch];
  const { status, stdout, stderr } = spawnSync("pnpm", words, { cwd: join(root, folder), encoding: "utf8" });
  if (status !== 0) throw new Error(`pnpm pack failed in ${folder}: ${stdout}${stderr}`);
  const bytes = readFileSync(JSON.parse(stdout).filename);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

/** A problem of attw, with the place that it was found at. */
function describe(problem) {
  const { title } = problemKindInfo[problem.kind];
  return `attw: ${title}: ${JSON.stringify(problem)}`;
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}
