import { silentLogger } from "@toolmount/core";
import { z } from "zod";
import { expect, onTestFinished, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { installed, moduleSource, toolFile, workspace } from "../workspace.ts";

const quiet = { logger: silentLogger };

function pack(name: string, source: string, manifest: object): Record<string, string> {
  return installed(`@acme/${name}`, source, { toolmount: { type: "tool", mounts: [], ...manifest } });
}

const breaks = "export function mount() { throw new Error('no disk'); }";
const registers = 'export function mount(c) { c.registerCapability("db", 1); }';

async function statesOf(files: Record<string, string>, names: readonly string[]) {
  const entries = names.map((name) => `{ module: "@acme/${name}", required: false }`);
  const { path } = await workspace({ ...files, "plan.yaml": `tools: [${entries.join(", ")}]` });
  await using host = await openHost(path("plan.yaml"), quiet);
  return host
    .status()
    .entries.map(({ id, state, problems }) => `${id.slice(6)} ${state}: ${problems[0]?.message ?? ""}`);
}

test("a module is skipped when the only module that gives what it needs has failed", async () => {
  const files = {
    ...pack("user", moduleSource("use"), { needs: ["log", "db"] }),
    ...pack("broken", breaks, { provides: ["db"] }),
  };

  expect(await statesOf(files, ["user", "broken"])).toEqual([
    expect.stringMatching(/^broken failed: .*no disk/) as string,
    expect.stringMatching(/^user skipped: .*it needs "db" of "@acme\/broken", which failed/) as string,
  ]);
});

test("modules that need each other are refused with the circle, and so is one that needs what it gives", async () => {
  const files = {
    ...pack("one", moduleSource("one"), { needs: ["b"], provides: ["a"] }),
    ...pack("two", moduleSource("two"), { needs: ["a"], provides: ["b"] }),
    ...pack("own", moduleSource("own"), { needs: ["x"], provides: ["x"] }),
  };
  const wayOut = "; ask for it when a tool first runs, and take it out of the needs of its manifest";

  expect((await statesOf(files, ["one", "two", "own"])).toSorted()).toEqual([
    expect.stringContaining('it needs "b" of "@acme/two", which failed') as string,
    expect.stringContaining(`it needs "x", which it registers itself${wayOut}`) as string,
    expect.stringContaining(
      `it needs "a" of "@acme/one", which cannot mount before it: they need each other${wayOut}`,
    ) as string,
  ]);
});

test("a module is mounted when another module gives what it needs, also after one that failed", async () => {
  const files = {
    ...pack("user", moduleSource("use"), { needs: ["db"] }),
    ...pack("broken", breaks, { provides: ["db"] }),
    ...pack("db", registers, { provides: ["db"] }),
  };

  expect(await statesOf(files, ["user", "broken", "db"])).toEqual([
    "db mounted: ",
    "user mounted: ",
    expect.stringMatching(/^broken failed/) as string,
  ]);
});

test.each([
  ["./gone.ts", "paths are relative to the plan's file"],
  ["npm:@acme/gone@^1", "toolmount install"],
  ["git+https://git.example/acme/gone", "toolmount install"],
  ["npm:@toolmount/tool-web", "npm install @toolmount/tool-web"],
  ["web", "npm install @toolmount/tool-web"],
  ["serch", 'did you mean "search"?'],
  [
    "far-away",
    "install the package that you trust under this name, or write the path of a file, such as ./my-tool.ts",
  ],
])("of the missing module %s the problem has the hint: %s", async (module, hint) => {
  const { path } = await workspace({ "plan.yaml": `tools: [{ module: "${module}" }]` });

  await expect(openHost(path("plan.yaml"), quiet)).rejects.toMatchObject({
    details: { problems: [{ code: "SOURCE_NOT_FOUND", hint, line: 1, path: "tools[0].module" }] },
  });
});

test("with Yarn's Plug'n'Play, the hint of a missing module says where packages have to be", async () => {
  const versions = Object.getOwnPropertyDescriptor(process, "versions")!;
  Object.defineProperty(process, "versions", { ...versions, value: { ...process.versions, pnp: "3" } });
  onTestFinished(() => void Object.defineProperty(process, "versions", versions));
  const { path } = await workspace({ "plan.yaml": "tools: [{ module: web }]" });

  await expect(openHost(path("plan.yaml"), quiet)).rejects.toMatchObject({
    details: { problems: [{ hint: expect.stringContaining("put nodeLinker: node-modules into") as string }] },
  });
});

test("a module in Python is named as what it can be: an MCP server", async () => {
  const { path } = await workspace({ "plan.yaml": "tools: [{ module: ./find.py }]", "find.py": "print(1)" });

  await expect(openHost(path("plan.yaml"), quiet)).rejects.toThrow(
    "write source: { mcp: { command: python3, args: [find.py] } }",
  );
});

test("a fleet whose state has failed is not tried: the one problem is that of the state", async () => {
  const { path } = await workspace({
    "plan.yaml": "version: 1\nstate: sqlite:./s.db\ntools: [{ module: m, run: { in: fleet } }]\n",
    ...pack("m", moduleSource("m"), {}),
  });
  const seen: string[] = [];
  const fails = (name: string) => ({
    mount: () => {
      seen.push(name);
      throw new Error(`no ${name}`);
    },
  });
  const extensions = {
    m: { mount: () => [] },
    "@toolmount/store": fails("disk"),
    "@toolmount/workers": fails("queue"),
  };
  const opened = openHost(path("plan.yaml"), { ...quiet, extensions });
  const error = (await opened.catch((thrown: unknown) => thrown)) as { details: { problems: object[] } };

  expect(error.details.problems).toEqual([expect.objectContaining({ line: 2, path: "state" })]);
  expect(seen).toEqual(["disk"]);
});

test("two tools of one name in a plan without a file are refused with the id of the other entry", async () => {
  const tool = {
    name: "same",
    description: "Answers.",
    schema: z.strictObject({}),
    execute: () => ({ data: 1 }),
  };
  const same = { tool: { ...tool, category: "read", consequenceLevel: "low", requiresConfirmation: false } };

  await expect(
    openHost({ tools: [{ module: "a" }, { module: "b" }] }, { ...quiet, extensions: { a: same, b: same } }),
  ).rejects.toMatchObject({
    details: { problems: [{ code: "TOOL_DUPLICATE", details: { owner: "b", existingOwner: "a" } }] },
  });
});

test("a second tool of a name is refused with both modules, and with no place in the code of one of them", async () => {
  const { path } = await workspace({
    "a.ts": toolFile("same"),
    "b.ts": toolFile("same"),
    "plan.yaml": "tools: [{ module: ./a.ts, id: a }, { module: ./b.ts, id: b }]",
  });

  const error: unknown = await openHost(path("plan.yaml"), quiet).catch((thrown: unknown) => thrown);
  const { problems } = (error as { details: { problems: { details: unknown }[] } }).details;
  expect(problems.map(({ details }) => details)).toEqual([
    { tool: "same", existing: "same", owner: "b", existingOwner: `a (${path("plan.yaml")}:1:19)` },
  ]);
});

test("a tool that a module of a file refuses is named with its place in the file", async () => {
  const mount = `import { z } from "zod";
const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
const work = { schema: z.strictObject({}), execute: () => ({ data: 1 }) };
export const mount = (c) => {
  c.mount("tools", { name: "no name", description: "Looks.", ...facts, ...work });
};`;
  const { path } = await workspace({ "a.ts": mount, "plan.yaml": "tools: [{ module: ./a.ts, id: a }]" });

  await expect(openHost(path("plan.yaml"), quiet)).rejects.toMatchObject({
    details: {
      problems: [{ code: "TOOL_INVALID", details: { origin: { file: path("a.ts"), line: 5, column: 5 } } }],
    },
  });
});

test("an override of an argument that a tool does not have is at its place in the plan", async () => {
  const { path } = await workspace({
    "a.ts": toolFile("look"),
    "plan.yaml":
      "tools:\n  - module: ./a.ts\n    prefix: my_\n    tools: { look: { arguments: { gone: { hidden: true } } } }\n",
  });

  await expect(openHost(path("plan.yaml"), quiet)).rejects.toMatchObject({
    details: {
      problems: [{ code: "TOOL_INVALID", line: 4, path: "tools[0].tools.look.arguments.gone" }],
    },
  });
});

test("uses of one module have ids with a number, and an id that two entries write is a problem at the second", async () => {
  const extensions = { own: { mount: () => {} } };
  await using host = await openHost(
    { tools: [{ module: "own" }, { module: "own" }, { module: "own", id: "mine" }] },
    { ...quiet, extensions },
  );
  expect(host.status().entries.map(({ id }) => id)).toEqual(["own", "own#2", "mine"]);

  const same = [
    { module: "own", id: "mine" },
    { module: "own", id: "mine" },
  ];
  await expect(openHost({ tools: same }, { ...quiet, extensions })).rejects.toMatchObject({
    details: {
      problems: [{ path: "tools[1].id", details: { problem: 'another entry has the id "mine"' } }],
    },
  });
});
