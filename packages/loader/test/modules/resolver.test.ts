import { silentLogger, ToolmountError, type Coordinator } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost, type ModuleSourceResolver, type Problem, type SourceScheme } from "../../src/index.ts";
import { installed, moduleSource, toolFile, workspace } from "../workspace.ts";

async function problemsOf(opening: Promise<unknown>): Promise<readonly Problem[]> {
  const error: unknown = await opening.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return (error as { details: { problems: readonly Problem[] } }).details.problems;
}

const notFound = () => {
  throw new ToolmountError("SOURCE_NOT_FOUND", { source: "x" });
};

test("AMP-N19, AMP-N22: a resolver, asynchronous or not, says where modules are, and is mounted at module-source-resolver", async () => {
  const { folder, path } = await workspace({
    "elsewhere/index.ts": toolFile("here"),
    "plan.yaml": "tools: [{ module: weather, source: 'npm:acme' }]",
  });
  const asked: unknown[] = [];
  const resolver: ModuleSourceResolver = {
    async resolve(id, source) {
      asked.push([id, source]);
      return { resolve: async () => path("elsewhere") };
    },
  };
  await using host = await openHost(path("plan.yaml"), { logger: silentLogger, resolver, cwd: folder });

  expect(host.tools().map(({ name }) => name)).toEqual(["here"]);
  expect(asked).toEqual([["weather", "npm:acme"]]);
  expect(host.coordinator.get("module-source-resolver")).toBe(resolver);
});

test.each<[string, ModuleSourceResolver]>([
  ["says nothing", { resolve: () => undefined }],
  ["throws that it does not know", { resolve: notFound }],
  ["finds a source that is not there", { resolve: () => ({ resolve: notFound }) }],
])(
  "AMP-N19, AMP-N20, AMP-N22: with a resolver that %s a module is looked for as without one",
  async (_, resolver) => {
    const { path } = await workspace({
      ...installed("@toolmount/tool-notes", moduleSource("note")),
      "plan.yaml": "tools: [{ module: notes }]",
    });
    await using host = await openHost(path("plan.yaml"), { logger: silentLogger, resolver });

    expect(host.tools().map(({ name }) => name)).toEqual(["note"]);
  },
);

test("AMP-N21, AMP-N22: other errors of a resolver are reported", async () => {
  const { path } = await workspace({ "plan.yaml": "tools: [{ module: notes }]" });
  const resolver: ModuleSourceResolver = {
    resolve: () => {
      throw new Error("the registry of modules is down");
    },
  };

  expect(await problemsOf(openHost(path("plan.yaml"), { logger: silentLogger, resolver }))).toMatchObject([
    {
      code: "MODULE_IMPORT_FAILED",
      line: 1,
      message: expect.stringContaining("the registry of modules is down") as string,
    },
  ]);
});

test("a scheme of one's own finds modules by text and by map, on disk and in memory", async () => {
  const { path, folder } = await workspace({
    "store/one.ts": toolFile("one"),
    "plan.yaml":
      "tools:\n  - { module: a, source: acme:one }\n  - { module: b, source: { acme: { id: 7 } } }\n",
  });
  const asked: unknown[] = [];
  const acme: SourceScheme = {
    resolve(source, entry) {
      asked.push([source, entry]);
      if (typeof source === "string") return { path: `./store/${source}.ts` };
      return {
        module: {
          mount: (coordinator: Coordinator) => coordinator.registerCapability("acme", source) as never,
        },
      };
    },
  };
  await using host = await openHost(path("plan.yaml"), { logger: silentLogger, schemes: { acme } });

  expect(host.tools().map(({ name }) => name)).toEqual(["one"]);
  expect(host.coordinator.getCapability("acme")).toEqual({ id: 7 });
  expect(asked).toEqual([
    ["one", { module: "a", folder }],
    [{ id: 7 }, { module: "b", folder }],
  ]);
});

test("a source that its scheme does not find, and an unknown scheme, are reported at the source", async () => {
  const { path } = await workspace({
    "plan.yaml":
      "tools:\n  - { module: a, source: acme:x }\n  - { module: b, source: other:x }\n  - { module: c, source: { other: {} } }\n",
  });
  const problems = await problemsOf(
    openHost(path("plan.yaml"), { logger: silentLogger, schemes: { acme: { resolve: () => undefined } } }),
  );

  expect(problems.map(({ code, line, column }) => `${line}:${column} ${code}`)).toEqual([
    "2:26 SOURCE_NOT_FOUND",
    "3:26 SOURCE_REFUSED",
    "4:26 SOURCE_REFUSED",
  ]);
});

test("AMP-N25: one module is used twice with two configs, and is imported once", async () => {
  const { path } = await workspace({
    "m.js": `globalThis.imports = (globalThis.imports ?? 0) + 1;\n${moduleSource("X").replace('"X"', "config.name")}`,
    "plan.yaml":
      "tools:\n  - { module: ./m.js, id: one, config: { name: first } }\n  - { module: ./m.js, id: two, config: { name: second } }\n",
  });
  await using host = await openHost(path("plan.yaml"), { logger: silentLogger });

  expect(host.tools().map(({ name, owner }) => [name, owner])).toEqual([
    ["first", "one"],
    ["second", "two"],
  ]);
  expect((globalThis as { imports?: number }).imports).toBe(1);
});
