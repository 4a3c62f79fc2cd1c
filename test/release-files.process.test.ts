import { cp, glob, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { exec } from "./support/exec.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFile(join(root, path), "utf8");

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly license?: string;
  readonly files?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
  readonly repository?: { readonly url: string; readonly directory: string };
  readonly homepage?: string;
  readonly bugs?: string;
}

/** Folders of the packages that are published. */
async function publishedFolders(): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const group of ["packages", "tools"])
    for (const name of await readdir(join(root, group)))
      if ((await manifestOf(`${group}/${name}`)).private !== true) folders.push(`${group}/${name}`);
  return folders;
}

const manifestOf = async (folder: string, base = root): Promise<Manifest> =>
  JSON.parse(await readFile(join(base, folder, "package.json"), "utf8")) as Manifest;

const folders = await publishedFolders();

/** Entries that promise nothing to other packages. */
const ownEntry = /"(@toolmount\/\w+)\/(?:internal|json|modules|record|schemas)"/g;

test("packages that use the internals of another are released with it, and need exactly its version", async () => {
  const users = new Set<string>();
  for await (const path of glob("{packages,tools}/*/src/**/*.ts", { cwd: root }))
    for (const [, owner = ""] of (await read(path)).matchAll(ownEntry)) {
      const { name, dependencies } = await manifestOf(path.split("/").slice(0, 2).join("/"));
      users.add(name);
      expect([name, owner, dependencies?.[owner]]).toEqual([name, owner, "workspace:*"]);
    }
  const { fixed } = JSON.parse(await read(".changeset/config.json")) as { fixed: readonly string[][] };

  expect(users.size).toBeGreaterThan(0);
  expect(fixed.map((group) => group.toSorted())).toEqual([["@toolmount/core", ...users].toSorted()]);
});

test("each note of a change names packages that are published", async () => {
  const names = new Set(await Promise.all(folders.map(async (folder) => (await manifestOf(folder)).name)));
  for await (const path of glob(".changeset/*.md", { cwd: root })) {
    const [, head = ""] = (await read(path)).split("---\n");
    const named = Object.keys((parse(head) as object | null) ?? {});
    expect([path, named.filter((name) => !names.has(name))]).toEqual([path, []]);
  }
});

test.each(folders)(
  "%s says what it is, runs nothing when it is installed, and shows how to install it",
  async (folder) => {
    const { name, description, keywords, license, files, scripts = {}, engines } = await manifestOf(folder);
    const readme = await read(`${folder}/README.md`);

    expect({ license, node: engines?.node }).toEqual({ license: "MIT", node: ">=22.19" });
    expect(description).toMatch(/\.$/);
    expect(keywords).toContain("toolmount");
    expect(files).toContain("dist");
    expect(
      Object.keys(scripts).filter((script) => /^(pre|post)?(install|prepare|publish)/.test(script)),
    ).toEqual([]);
    expect(readme).toMatch(new RegExp(`npm install .*${name}`));
    // A first example: a block that is more than the install line.
    const blocks = [...readme.matchAll(/^```(?:ts|sh|yaml|json)[^\n]*\n([\s\S]*?)^```$/gm)].map(
      ([, text = ""]) => text,
    );
    expect(blocks.filter((text) => !/^npm install [^\n]*\n$/.test(text))).not.toEqual([]);
  },
);

test("with the repository's address, each manifest has it, and each README has only absolute links", async () => {
  const copy = await mkdtemp(join(tmpdir(), "toolmount-address-"));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const folder of folders)
    for (const file of ["package.json", "README.md"])
      await cp(join(root, folder, file), join(copy, folder, file), { recursive: true });
  const url = "https://example.com/owner/name";
  await writeFile(join(copy, "package.json"), JSON.stringify({ repository: url }));
  await exec("node", [join(root, "scripts/set-repository.mjs"), copy], { cwd: root });

  for (const folder of folders) {
    expect(await manifestOf(folder, copy)).toMatchObject({
      repository: { type: "git", url: `git+${url}.git`, directory: folder },
      homepage: `${url}/tree/main/${folder}#readme`,
      bugs: `${url}/issues`,
    });
    const readme = await readFile(join(copy, folder, "README.md"), "utf8");
    expect(readme.match(/\]\((?!https?:|#)[^)]*\)/g) ?? []).toEqual([]);
  }
});

test("llms.txt has a line for each page, with its link and what it is about", async () => {
  const lines = (await read("llms.txt")).split("\n").filter((line) => line.startsWith("- "));
  const pages: string[] = [];
  for await (const page of glob("docs/{,reference/}*.md", { cwd: root })) pages.push(page);

  const linked = lines.map((line) => /^- \[.+\]\((.+)\): .{20,}$/.exec(line)?.[1] ?? line);
  expect(linked.toSorted()).toEqual(pages.filter((page) => !page.endsWith("/README.md")).toSorted());
});

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly "timeout-minutes"?: number; readonly steps: readonly Step[] }>
  >;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

const workflows = (await readdir(join(root, ".github/workflows"))).map((file) => `.github/workflows/${file}`);

test.each(workflows)(
  "%s has few rights, ends in time, and names the exact version of each action",
  async (file) => {
    const { permissions, jobs } = parse(await read(file)) as Workflow;

    expect(permissions).toEqual({ contents: "read" });
    for (const { steps, "timeout-minutes": minutes } of Object.values(jobs)) {
      expect(minutes).toBeLessThanOrEqual(60);
      for (const { uses } of steps)
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/);
    }
  },
);

test("what is published has its provenance signed, and its contents listed", async () => {
  const release = await read(".github/workflows/release.yml");

  expect(release).toMatch(/id-token: write/);
  expect(release).toMatch(/NPM_CONFIG_PROVENANCE: "true"/);
  expect(release).toMatch(/publish-script: pnpm run publish-packages$/m);
  const { scripts } = JSON.parse(await read("package.json")) as Manifest;
  // npm needs the repository's address for the provenance; it is in no manifest before it is known there.
  expect(scripts?.["publish-packages"]).toMatch(
    /^npm pkg set repository=.* && node scripts\/set-repository\.mjs && changeset publish$/,
  );
  expect(release).toMatch(/pnpm sbom --sbom-format cyclonedx/);
});

test("a person who reports a bug is asked for the plan and for toolmount doctor", async () => {
  const form = parse(await read(".github/ISSUE_TEMPLATE/bug.yml")) as {
    readonly body: readonly { readonly id: string; readonly validations: { readonly required: boolean } }[];
  };

  expect(form.body.map(({ id, validations }) => [id, validations.required])).toEqual([
    ["seen", true],
    ["steps", true],
    ["doctor", true],
  ]);
});
