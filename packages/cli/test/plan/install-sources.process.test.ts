import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { silentLogger } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHost } from "@toolmount/loader";
import { filterOutdated, findOutdated } from "../../src/install/find-outdated.ts";
import { installSources } from "../../src/install/install-sources.ts";
import { packageFiles, startRegistry } from "../support/package-registry.ts";

const run = promisify(execFile);

interface Workspace {
  readonly folder: string;
  path(name: string): string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

/** A folder with files, in which core and zod are installed; gone after the test. */
async function workspace(files: Readonly<Record<string, string>>): Promise<Workspace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount install ")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const packages = join(import.meta.dirname, "../../node_modules");
  await mkdir(join(folder, "node_modules/@toolmount"), { recursive: true });
  for (const name of ["@toolmount/core", "zod"])
    await symlink(join(packages, name), join(folder, "node_modules", name));
  const path = (name: string) => join(folder, name);
  const write = async (more: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(more)) {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), text);
    }
  };
  await write(files);
  return { folder, path, write };
}

const environment = (space: Workspace, registry: string) => ({
  PATH: process.env["PATH"],
  HOME: space.folder,
  npm_config_registry: registry,
  npm_config_cache: space.path("npm-cache"),
});

test("AMP-N11: npm ranges are fetched by a command alone, without install scripts, and mounted offline afterwards", async () => {
  const space = await workspace({
    ...packageFiles("one", "@acme/weather", "1.4.0"),
    ...packageFiles("two", "@acme/weather", "2.0.1"),
    "plan.yaml": `tools:
  - { module: old, source: "npm:@acme/weather@^1" }
  - { module: new, source: "npm:@acme/weather@2" }
`,
  });
  const registry = await startRegistry(space, ["one", "two"]);
  const options = { env: environment(space, registry.url), logger: silentLogger };

  await expect(openHost(space.path("plan.yaml"), options)).rejects.toMatchObject({
    details: {
      problems: [
        { code: "SOURCE_NOT_FOUND", hint: "toolmount install", line: 2 },
        { code: "SOURCE_NOT_FOUND", line: 3 },
      ],
    },
  });
  expect(registry.asked()).toBe(0);

  const report = await installSources(space.path("plan.yaml"), options);
  const asked = registry.asked();
  registry.close();

  expect(report.sources).toMatchObject([
    { name: "@acme/weather", version: "1.4.0" },
    { name: "@acme/weather", version: "2.0.1" },
  ]);
  expect(asked).toBeGreaterThan(0);
  await using host = await openHost(space.path("plan.yaml"), options);
  expect(host.tools().map(({ name, owner }) => [name, owner])).toEqual([
    ["tool_1_4_0", "old"],
    ["tool_2_0_1", "new"],
  ]);
  for (const { folder } of report.sources) expect(existsSync(join(folder, "ran-a-script"))).toBe(false);
  expect(existsSync(join(report.folder, "node_modules/@toolmount/core"))).toBe(false);
  expect(await installSources(space.path("plan.yaml"), options)).toEqual(report);
});

test("the newest versions of packages and repositories are asked for, and nothing is installed", async () => {
  const space = await workspace({
    ...packageFiles("one", "@acme/weather", "1.4.0"),
    ...packageFiles("repository", "@acme/maps", "0.1.0"),
    "plan.yaml": `tools:
  - { module: old, source: "npm:@acme/weather@^1" }
  - { module: same, source: "npm:@acme/weather@^1" }
  - { module: gone, source: "npm:@acme/gone@^1", required: false }
`,
  });
  const git = (...words: readonly string[]) =>
    run("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: space.path("repository") });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "one");
  const source = `git+file://${space.path("repository")}@main`;
  const text = await readFile(space.path("plan.yaml"), "utf8");
  await writeFile(space.path("plan.yaml"), `${text}  - { module: maps, source: "${source}" }\n`);
  const registry = await startRegistry(space, ["one"]);
  const options = { env: environment(space, registry.url), logger: silentLogger };
  await installSources(space.path("plan.yaml"), options);
  const current = await findOutdated(space.path("plan.yaml"), options);
  await registry.publish("later", "@acme/weather", "1.5.0");
  await registry.publish("next", "@acme/weather", "2.0.1");
  await git("commit", "--quiet", "--allow-empty", "-m", "two");
  const later = await findOutdated(space.path("plan.yaml"), options);

  expect(await filterOutdated(current)).toEqual([]);
  expect(current.map(({ entries, installed }) => [entries, installed?.slice(0, 5)])).toEqual([
    [["old", "same"], "1.4.0"],
    [["gone"], undefined],
    [["maps"], expect.stringMatching(/^[0-9a-f]{5}$/)],
  ]);
  expect(current[1]?.problem).toContain("npm view failed");
  expect(await filterOutdated(later)).toEqual([
    {
      entries: ["old", "same"],
      name: "@acme/weather",
      installed: "1.4.0",
      wanted: "1.5.0",
      latest: "2.0.1",
    },
    expect.objectContaining({ entries: ["maps"], latest: expect.stringMatching(/^[0-9a-f]{40}$/) }),
  ]);
});

test("sources of entries that are not required do not fail the others, and are reported", async () => {
  const space = await workspace({
    ...packageFiles("one", "@acme/weather", "1.4.0"),
    "plan.yaml": `tools:
  - { module: old, source: "npm:@acme/weather@^1" }
  - { module: gone, source: "npm:@acme/gone@^1", required: false }
  - { module: lost, source: "git+https://127.0.0.1:1/lost.git", required: false }
`,
  });
  const registry = await startRegistry(space, ["one"]);
  const options = { env: environment(space, registry.url), logger: silentLogger };
  const report = await installSources(space.path("plan.yaml"), options);

  expect(report.sources).toMatchObject([{ name: "@acme/weather", version: "1.4.0" }]);
  expect(report.missing).toEqual([
    { source: "git+https://127.0.0.1:1/lost.git", problem: expect.stringContaining("git fetch failed") },
    { source: "npm:@acme/gone@^1", problem: "npm could not fetch it" },
  ]);
  await using host = await openHost(space.path("plan.yaml"), options);
  expect(host.tools().map(({ name }) => name)).toEqual(["tool_1_4_0"]);
});

async function gitRepository(space: Workspace, name: string): Promise<void> {
  const git = (...words: string[]) =>
    run("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...words], { cwd: space.path(name) });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "first");
  await git("tag", "v1");
}

test("AMP-N11: a folder of a repository is fetched at a tag, alone and without its scripts", async () => {
  const space = await workspace({
    ...packageFiles("repo/packages/weather", "@acme/weather", "3.0.0"),
    "repo/README.md": "x",
  });
  await gitRepository(space, "repo");
  const folder = space.folder.replaceAll(" ", "%20");
  await space.write({
    "plan.yaml": `tools: [{ module: weather, source: "git+file://${folder}/repo@v1#subdirectory=packages/weather" }]\n`,
  });
  const options = { env: environment(space, "http://127.0.0.1:9/"), logger: silentLogger };
  const report = await installSources(space.path("plan.yaml"), options);

  expect(report.sources).toMatchObject([
    { name: "@acme/weather", version: "3.0.0", commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string },
  ]);
  await using host = await openHost(space.path("plan.yaml"), options);
  expect(host.tools().map(({ name }) => name)).toEqual(["tool_3_0_0"]);
  expect(existsSync(join(report.sources[0]!.folder, "ran-a-script"))).toBe(false);
});

test.each([
  ["@gone", "git fetch failed"],
  ["@v1#subdirectory=nowhere", "has no package.json in nowhere"],
  ["@v1#subdirectory=out", "has no package.json in out"],
])("a repository with %s is reported with the output of git or npm", async (rest, problem) => {
  const space = await workspace({
    ...packageFiles("repo", "x", "1.0.0"),
    ...packageFiles("elsewhere", "y", "1.0.0"),
  });
  await run("ln", ["-s", "../elsewhere", "out"], { cwd: space.path("repo") });
  await gitRepository(space, "repo");
  const folder = space.folder.replaceAll(" ", "%20");
  await space.write({ "plan.yaml": `tools: [{ module: x, source: "git+file://${folder}/repo${rest}" }]\n` });

  await expect(
    installSources(space.path("plan.yaml"), {
      env: environment(space, "http://127.0.0.1:9/"),
      logger: silentLogger,
    }),
  ).rejects.toMatchObject({ code: "INSTALL_FAILED", message: expect.stringContaining(problem) as string });
});

test("a registry that does not answer is reported, and an invalid plan is reported before anything is fetched", async () => {
  const space = await workspace({
    "plan.yaml": "tools: [{ module: x, source: 'npm:x@1' }]",
    "wrong.yaml": "toolz: []",
  });
  const options = {
    env: { ...environment(space, "http://127.0.0.1:9/"), npm_config_fetch_retries: "0" },
    logger: silentLogger,
  };

  await expect(installSources(space.path("plan.yaml"), options)).rejects.toMatchObject({
    code: "INSTALL_FAILED",
  });
  await expect(installSources(space.path("wrong.yaml"), options)).rejects.toMatchObject({
    code: "PLAN_INVALID",
  });
});

describe("the registry of the project", () => {
  /** The user has settings of no project. */
  const elsewhere = (space: Workspace, registry: string) => ({
    ...environment(space, registry),
    HOME: space.path("home"),
  });
  const scoped = (url: string) => `@acme:registry=${url}
//${new URL(url).host}/:_authToken=\${ACME_TOKEN}
`;

  test.each([
    ["beside the plan", ".npmrc", "plan.yaml"],
    ["above the plan", ".npmrc", "plans/team/plan.yaml"],
  ])(
    "a scope's registry and token in the .npmrc %s are used, and kept in no other file",
    async (_, npmrc, plan) => {
      const space = await workspace({
        ...packageFiles("one", "@acme/weather", "1.4.0"),
        ...packageFiles("public", "@acme/weather", "9.9.9"),
        "plans/package.json": "{}",
        [plan]: 'tools: [{ module: weather, source: "npm:@acme/weather@>=1" }]\n',
      });
      const other = await startRegistry(space, ["public"]);
      const own = await startRegistry(space, ["one"]);
      await space.write({ [npmrc]: scoped(own.url) });
      const env = { ...elsewhere(space, other.url), ACME_TOKEN: "token-of-the-team" };

      const report = await installSources(space.path(plan), { env, logger: silentLogger });

      expect(report.sources).toMatchObject([{ name: "@acme/weather", version: "1.4.0" }]);
      expect(other.asked()).toBe(0);
      expect(own.tokens).toEqual(new Set(["Bearer token-of-the-team"]));
      const { stdout } = await run("grep", [
        "-rl",
        "-e",
        "_authToken",
        "-e",
        "token-of-the-team",
        space.folder,
      ]);
      expect(stdout.trim()).toBe(space.path(npmrc));
      expect(await findOutdated(space.path(plan), { env, logger: silentLogger })).toMatchObject([
        { name: "@acme/weather", installed: "1.4.0", latest: "1.4.0" },
      ]);
      expect(other.asked()).toBe(0);
    },
  );

  test("the default registry in the .npmrc beside the plan is used", async () => {
    const space = await workspace({
      ...packageFiles("one", "weather-of-acme", "1.0.0"),
      "plan.yaml": 'tools: [{ module: weather, source: "npm:weather-of-acme@1" }]\n',
    });
    const own = await startRegistry(space, ["one"]);
    await space.write({ ".npmrc": `registry=${own.url}\n` });
    const { npm_config_registry: _, ...env } = elsewhere(space, own.url);

    const report = await installSources(space.path("plan.yaml"), { env, logger: silentLogger });

    expect(report.sources).toMatchObject([{ version: "1.0.0" }]);
    expect(own.asked()).toBeGreaterThan(0);
  });

  test("a registry that refuses is reported without the token", async () => {
    const space = await workspace({
      "plan.yaml": 'tools: [{ module: weather, source: "npm:@acme/weather@1" }]\n',
    });
    const own = await startRegistry(space, []);
    await space.write({ ".npmrc": scoped(own.url).replace("${ACME_TOKEN}", "token-of-the-team") });
    const options = { env: elsewhere(space, own.url), logger: silentLogger };

    const error = await installSources(space.path("plan.yaml"), options).catch((thrown: Error) => thrown);

    expect(error).toMatchObject({ code: "INSTALL_FAILED" });
    expect(String((error as Error).stack)).not.toContain("token-of-the-team");
    expect(existsSync(space.path(".toolmount/modules/.npmrc"))).toBe(false);
  });
});

describe("two plans in one folder", () => {
  const files = {
    ...packageFiles("one", "@acme/weather", "1.4.0"),
    ...packageFiles("two", "@acme/maps", "2.0.0"),
    ...packageFiles("repository", "acme-notes", "3.0.0"),
  };

  async function twoPlans() {
    const space = await workspace(files);
    await gitRepository(space, "repository");
    const registry = await startRegistry(space, ["one", "two"]);
    await space.write({
      "weather.yaml": `tools:
  - { module: weather, source: "npm:@acme/weather@^1" }
  - { module: notes, source: "git+file://${space.folder}/repository@main" }
`,
      "maps.yaml": 'tools: [{ module: maps, source: "npm:@acme/maps@^2" }]\n',
    });
    const options = { env: environment(space, registry.url), logger: silentLogger };
    const opens = async (plan: string) => {
      await using host = await openHost(space.path(plan), options);
      return host
        .tools()
        .map(({ owner }) => owner)
        .toSorted();
    };
    return { space, registry, options, opens };
  }

  test.each([{ update: false }, { update: true }])(
    "an install of one, with update $update, removes nothing of the other",
    async ({ update }) => {
      const { space, registry, options, opens } = await twoPlans();
      await installSources(space.path("weather.yaml"), options);
      await installSources(space.path("maps.yaml"), options);
      await registry.publish("newer", "@acme/maps", "2.1.0");

      await installSources(space.path("maps.yaml"), { ...options, update });

      expect(await opens("weather.yaml")).toEqual(["notes", "weather"]);
      expect(await opens("maps.yaml")).toEqual(["maps"]);
      await installSources(space.path("maps.yaml"), { ...options, update });
      const { sources } = await installSources(space.path("maps.yaml"), options);
      expect(sources).toMatchObject([{ version: update ? "2.1.0" : "2.0.0" }]);
    },
  );

  test("an install without an overlay keeps the packages of the overlay", async () => {
    const { space, options, opens } = await twoPlans();
    await space.write({ "weather.more.yaml": 'tools: [{ module: maps, source: "npm:@acme/maps@^2" }]\n' });
    const overlays = ["more"];
    await installSources(space.path("weather.yaml"), { ...options, overlays });
    await installSources(space.path("weather.yaml"), { ...options, update: true });

    await using host = await openHost(space.path("weather.yaml"), { ...options, overlays });

    expect(
      host
        .tools()
        .map(({ owner }) => owner)
        .toSorted(),
    ).toEqual(["maps", "notes", "weather"]);
    expect(await opens("weather.yaml")).toEqual(["notes", "weather"]);
  });

  test("a package of another plan that can no longer be fetched does not fail an install", async () => {
    const { space, options, opens } = await twoPlans();
    await installSources(space.path("weather.yaml"), options);
    await rm(space.path(".toolmount/modules/node_modules"), { recursive: true });
    await rm(space.path(".toolmount/modules/git"), { recursive: true });

    await installSources(space.path("maps.yaml"), options);

    expect(await opens("maps.yaml")).toEqual(["maps"]);
  });
});
