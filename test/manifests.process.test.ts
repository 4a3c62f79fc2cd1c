import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");

interface Manifest {
  readonly name: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly repository?: { readonly url: string; readonly directory: string };
  readonly bugs?: string;
}

async function readManifests(folder = root) {
  const folders = ["packages", "tools"].map(async (group) =>
    (await readdir(join(folder, group))).map((name) => `${group}/${name}`),
  );
  return Promise.all(
    (await Promise.all(folders)).flat().map(async (directory) => ({
      directory,
      manifest: JSON.parse(await readFile(join(folder, directory, "package.json"), "utf8")) as Manifest,
      readme: await readFile(join(folder, directory, "README.md"), "utf8"),
    })),
  );
}

/** What a manifest says about where it comes from: the same address in each, or nothing while there is none. */
function addressProblems(
  { directory, manifest }: { directory: string; manifest: Manifest },
  url: string | null,
) {
  const { homepage, repository, bugs } = manifest;
  const expected =
    url === null
      ? {}
      : {
          homepage: `${url}/tree/main/${directory}#readme`,
          repository: { type: "git", url: `git+${url}.git`, directory },
          bugs: `${url}/issues`,
        };
  const found = JSON.parse(JSON.stringify({ homepage, repository, bugs })) as object;
  return JSON.stringify(found) === JSON.stringify(expected) ? [] : [directory];
}

test("every published package has keywords, and a README with its install line", async () => {
  for (const { directory, manifest, readme } of await readManifests()) {
    expect(manifest.keywords?.length, directory).toBeGreaterThan(2);
    expect(manifest.description, directory).toMatch(/\w/);
    expect(readme, directory).toMatch(new RegExp(`npm install (?:--save-dev )?.*${manifest.name}\\b`));
  }
});

test("every manifest has the address of the root's package.json, and none while the root has none", async () => {
  const { repository = null } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    repository?: string;
  };

  expect((await readManifests()).flatMap((entry) => addressProblems(entry, repository))).toEqual([]);
});

test("once the root has an address, scripts/set-repository.mjs writes it into every manifest and README", async () => {
  const copy = await mkdtemp(join(tmpdir(), "toolmount-manifests-"));
  onTestFinished(() => rm(copy, { recursive: true }));
  for (const { directory } of await readManifests())
    for (const file of ["package.json", "README.md"])
      await cp(join(root, directory, file), join(copy, directory, file));
  const url = "https://example.com/owner/toolmount";
  await writeFile(join(copy, "package.json"), JSON.stringify({ repository: url }));
  await writeFile(
    join(copy, "packages/core/README.md"),
    "[a](../../docs/a.md#b) [b](https://x.org/) [c](#d)",
  );

  await promisify(execFile)(process.execPath, [join(root, "scripts/set-repository.mjs"), copy]);
  const after = await readManifests(copy);

  expect(after.flatMap((entry) => addressProblems(entry, url))).toEqual([]);
  expect(after.flatMap(({ readme }) => readme.match(/\]\(\.\.?\/[^)]*\)/g) ?? [])).toEqual([]);
  expect(await readFile(join(copy, "packages/core/README.md"), "utf8")).toBe(
    `[a](${url}/blob/main/docs/a.md#b) [b](https://x.org/) [c](#d)`,
  );
});
