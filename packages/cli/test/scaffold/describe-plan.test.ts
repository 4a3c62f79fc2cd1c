import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describePlan, mergeDescription, type PublishOptions } from "../../src/scaffold/describe-plan.ts";

interface World {
  readonly own?: object | string;
  readonly plan?: object;
  readonly variables?: readonly object[];
}

/** Describes a plan in a folder below that of a package. */
async function described(options: PublishOptions, { own, plan = {}, variables = [] }: World = {}) {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-describe-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "plans"));
  const text = typeof own === "string" ? own : JSON.stringify(own);
  if (own !== undefined) await writeFile(join(folder, "package.json"), text);
  return describePlan({ value: plan, variables } as never, join(folder, "plans"), options);
}

const named = { name: "io.me/tools" };
/** What the package of most plans here says. */
const facts = { version: "1.0.0", description: "Tools." };
const $schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
const header = {
  name: "Authorization",
  value: "Bearer {token}",
  isRequired: true,
  isSecret: true,
  variables: { token: { description: "A token of the server", isRequired: true, isSecret: true } },
};

test("a plan that is served at an address has it, with a token where it has no sign-in", async () => {
  const url = "https://a.org/mcp";
  const server = { $schema, name: "io.me/tools", description: "Tools.", version: "1.0.0" };

  expect(await described({ ...named, publicUrl: url }, { own: facts })).toEqual({
    server: { ...server, remotes: [{ type: "streamable-http", url, headers: [header] }] },
    todo: [],
  });
  expect(await described({ ...named, publicUrl: url, signIn: true }, { own: facts })).toEqual({
    server: { ...server, remotes: [{ type: "streamable-http", url }] },
    todo: [],
  });
});

test("a plan in an npm package with a program is that package, with the variables that it reads", async () => {
  const own = {
    name: "@me/tools",
    version: "2.0.0",
    description: "From npm.",
    bin: "serve.js",
    repository: { url: "git+https://github.com/me/tools.git" },
  };
  const variables = [
    { name: "API_KEY", isRequired: true },
    { name: "CITY", isRequired: false },
  ];

  expect(await described({ name: "io.me/tools" }, { own, variables })).toEqual({
    server: {
      $schema,
      name: "io.me/tools",
      description: "From npm.",
      version: "2.0.0",
      repository: { url: "https://github.com/me/tools", source: "github" },
      packages: [
        {
          registryType: "npm",
          identifier: "@me/tools",
          version: "2.0.0",
          transport: { type: "stdio" },
          environmentVariables: [
            { name: "API_KEY", isRequired: true, isSecret: true },
            { name: "CITY", isRequired: false, isSecret: false },
          ],
        },
      ],
    },
    todo: ['add "mcpName": "io.me/tools" to package.json: registries compare it'],
  });
  const ready = await described({ publicUrl: "https://a.org" }, { own: { ...own, mcpName: "io.me/named" } });
  expect(ready.todo).toEqual([]);
  expect(ready.server).toMatchObject({ name: "io.me/named", remotes: [{ url: "https://a.org/mcp" }] });
  expect(ready.server.packages![0]).not.toHaveProperty("environmentVariables");
});

test.each<[unknown, unknown]>([
  ["https://gitlab.com/me/tools.git", { url: "https://gitlab.com/me/tools", source: "gitlab" }],
  ["https://example.org/me/tools", undefined],
  ["github:me/tools", undefined],
  [{ url: "nonsense" }, undefined],
  [undefined, undefined],
])("of the repository %j, a registry gets %j", async (repository, sent) => {
  const { server } = await described(
    { ...named, publicUrl: "https://a.org" },
    { own: { ...facts, private: true, repository } },
  );

  expect(server["repository"]).toEqual(sent);
});

test("a name that an option says is before that of package.json, whose description is before that of the plan", async () => {
  const own = { name: "p", version: "2.0.0", description: "From npm.", mcpName: "io.me/named" };
  const url = "https://a.org";
  const [byOption, byPackage, byPlan] = await Promise.all([
    described({ ...named, publicUrl: url }, { own }),
    described({ publicUrl: url }, { own, plan: { description: "Of the plan." } }),
    described(
      { ...named, publicUrl: url },
      { own: { version: "1.0.0" }, plan: { description: "x".repeat(100) } },
    ),
  ]);

  expect(byOption.server).toMatchObject({ name: "io.me/tools", version: "2.0.0", description: "From npm." });
  expect(byPackage.server).toMatchObject({ name: "io.me/named", version: "2.0.0", description: "From npm." });
  expect(byPlan.server).toMatchObject({ description: "x".repeat(100) });
});

const describeIt = "describe it in at most 100 characters in package.json";
const sayWhere =
  "say where it is served with --public-url, or give its npm package a program (bin) that serves it over stdio";

test.each<[string, PublishOptions, World, string]>([
  [
    "a name",
    {},
    {},
    'name the server with --name, such as io.github.me/tools, or as "mcpName" in package.json',
  ],
  ["a version", named, {}, "say its version in package.json"],
  ["a description", named, { own: { version: "1" }, plan: { description: 7 } }, describeIt],
  ["a short description", named, { own: { version: "1", description: "x".repeat(101) } }, describeIt],
  ["a place", named, { own: { ...facts, name: "p" } }, sayWhere],
  ["a public package", named, { own: { ...facts, name: "p", bin: "b", private: true } }, sayWhere],
  ["a package with a name", named, { own: { ...facts, bin: "b" } }, sayWhere],
  [
    "a good name",
    { name: "tools", publicUrl: "https://a.org" },
    { own: facts },
    'the name "tools" is not valid: it is a name such as "io.github.me/weather"',
  ],
])("without %s a plan cannot be described", async (_, options, world, problem) => {
  await expect(described(options, world)).rejects.toMatchObject({
    code: "USAGE_INVALID",
    details: { problem },
  });
});

test("a package.json that is not valid is named with its problem", async () => {
  await expect(described(named, { own: { version: 7 } })).rejects.toMatchObject({
    details: {
      problem: expect.stringMatching(
        /package\.json is not valid: .*expected string.*\n.*at version/,
      ) as string,
    },
  });
});

test("a description that was written keeps its other members, and is not written again", () => {
  const server = { name: "io.me/t", description: "d", version: "2" };

  expect(mergeDescription(undefined, server)).toBe(`${JSON.stringify(server, null, 2)}\n`);
  expect(mergeDescription('{"version":"1","title":"T"}', server)).toBe(
    `${JSON.stringify({ version: "2", title: "T", name: "io.me/t", description: "d" }, null, 2)}\n`,
  );
  expect(mergeDescription(JSON.stringify({ ...server, title: "T" }), server)).toBeNull();
});
