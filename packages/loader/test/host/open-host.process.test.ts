import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { silentLogger } from "@toolmount/core";
import { expect, expectTypeOf, test } from "vitest";
import { openHost, type OpenedHost } from "../../src/index.ts";
import { installed, moduleSource, toolFile, workspace } from "../workspace.ts";

const quiet = { logger: silentLogger };

test("a file beside the plan is a tool", async () => {
  const { path } = await workspace({
    "hello.ts": toolFile("say_hello", "hi"),
    "mount-plan.yaml": "tools:\n  - module: ./hello.ts\n",
  });
  const host = await openHost(path("mount-plan.yaml"), quiet);

  expect(await host.call({ name: "say_hello" })).toMatchObject({ status: "ok", result: { data: "hi" } });
  await host.close();
});

test("AMP-4, AMP-15: an installed package is mounted with the config of its entry", async () => {
  const { path } = await workspace({
    ...installed("@toolmount/tool-notes", moduleSource("read_note")),
    "mount-plan.yaml": "tools: [{ module: notes, config: { root: ./here } }]",
  });
  const host = await openHost(path("mount-plan.yaml"), quiet);

  expect(await host.call({ name: "read_note" })).toMatchObject({ result: { data: { root: "./here" } } });
  await host.close();
});

test("AMP-N20: a short name is a package of toolmount, then one of another author", async () => {
  const { path } = await workspace({
    ...installed("@toolmount/tool-both", moduleSource("ours")),
    ...installed("toolmount-tool-both", moduleSource("theirs")),
    ...installed("toolmount-tool-only", moduleSource("only_theirs")),
    ...installed("both", moduleSource("exact")),
    "mount-plan.yaml": "tools: [{ module: both }, { module: only }, { module: x, source: npm:both }]",
  });
  const host = await openHost(path("mount-plan.yaml"), quiet);

  expect(host.tools().map(({ name }) => name)).toEqual(["exact", "only_theirs", "ours"]);
  await host.close();
});

test("a bare name that is exactly the name of an installed package says how to write it", async () => {
  const { path } = await workspace({
    ...installed("my-own-tool", moduleSource("mine")),
    "bare.yaml": "tools: [{ module: my-own-tool }]",
    "npm.yaml": "tools: [{ module: npm:my-own-tool }]",
  });

  await expect(openHost(path("bare.yaml"), quiet)).rejects.toMatchObject({
    details: {
      problems: [
        {
          code: "SOURCE_NOT_FOUND",
          hint: "a package of that exact name is installed; write module: npm:my-own-tool",
        },
      ],
    },
  });
  const host = await openHost(path("npm.yaml"), quiet);
  expect(host.tools().map(({ name }) => name)).toEqual(["mine"]);
  await host.close();
});

test("AMP-N11: a folder with a package, a file: URL and an absolute path are sources too", async () => {
  const { path, write } = await workspace({
    "folder/package.json": JSON.stringify({
      name: "mine",
      version: "2.0.0",
      type: "module",
      exports: "./entry.js",
    }),
    "folder/entry.js": moduleSource("from_folder"),
    "plain/index.ts": toolFile("from_index"),
    "url.ts": toolFile("from_url"),
    "absolute.mjs": moduleSource("from_absolute"),
  });
  const plan = {
    version: 1,
    tools: [
      { module: "a", source: "./folder" },
      { module: "b", source: "./plain" },
      { module: "c", source: `file://${encodeURI(path("url.ts"))}` },
      { module: "d", source: path("absolute.mjs") },
    ],
  };
  await write({ "mount-plan.json": JSON.stringify(plan) });
  const host = await openHost(path("mount-plan.json"), quiet);

  expect(host.tools().map(({ name }) => name)).toEqual([
    "from_absolute",
    "from_folder",
    "from_index",
    "from_url",
  ]);
  expect(host.status().entries[0]).toMatchObject({
    id: "a",
    version: "2.0.0",
    path: path("folder/entry.js"),
  });
  await host.close();
});

test("the source condition of this process chooses a package's sources", async () => {
  const { path } = await workspace({
    ...installed("@acme/dual", moduleSource("built"), {
      exports: { ".": { "@toolmount/source": "./source.js", require: "./no.cjs", default: "./index.js" } },
    }),
    "node_modules/@acme/dual/source.js": moduleSource("from_source"),
    "mount-plan.yaml": 'tools: [{ module: "@acme/dual" }]',
  });
  const host = await openHost(path("mount-plan.yaml"), quiet);

  expect(host.tools().map(({ name }) => name)).toEqual(["from_source"]);
  await host.close();
});

test("modules in memory are mounted by the name the plan gives them; functions are asked when needed", async () => {
  let asked = 0;
  const lazy = () => {
    asked++;
    return { mount: () => ({ tools: [] }) };
  };
  const mount = (coordinator: { registerCapability(name: string, value: unknown): unknown }) => {
    coordinator.registerCapability("mine", 1);
  };
  const host = await openHost(
    { tools: [{ module: "mine" }] },
    { ...quiet, extensions: { "@toolmount/tool-mine": { mount }, other: lazy } },
  );

  expect(host.coordinator.getCapability("mine")).toBe(1);
  expect(asked).toBe(0);
  await host.close();
});

test("an installed package is used before a module that the host was given", async () => {
  const { path } = await workspace({
    ...installed("@acme/x", moduleSource("installed_one")),
    "mount-plan.yaml": 'tools: [{ module: "@acme/x" }]',
  });
  const extensions = { "@acme/x": { mount: () => null } };
  const host = await openHost(path("mount-plan.yaml"), { ...quiet, extensions });

  expect(host.tools().map(({ name }) => name)).toEqual(["installed_one"]);
  await host.close();
});

test("AMP-N25: one module is used twice with different configs", async () => {
  const { path } = await workspace({
    "shared.mjs": moduleSource("show"),
    "mount-plan.yaml": `
tools:
  - { module: ./shared.mjs, config: { a: 1 } }
  - { module: ./shared.mjs, config: { a: 2 }, prefix: other_ }
`,
  });
  const host = await openHost(path("mount-plan.yaml"), quiet);

  expect(await host.call({ name: "show" })).toMatchObject({ result: { data: { a: 1 } } });
  expect(await host.call({ name: "other_show" })).toMatchObject({ result: { data: { a: 2 } } });
  expect(host.status().entries.map(({ id }) => id)).toEqual(["./shared.mjs", "./shared.mjs#2"]);
  await host.close();
});

test("AMP-N15: the same plan gives the same tools, in the same order, with the same status", async () => {
  const { path } = await workspace({
    ...installed("@acme/a", moduleSource("a_tool")),
    "b.ts": toolFile("b_tool"),
    "mount-plan.yaml": 'tools: [{ module: ./b.ts }, { module: "@acme/a" }]',
  });
  const look = async () => {
    const host = await openHost(path("mount-plan.yaml"), quiet);
    const seen = { tools: host.tools(), status: host.status() };
    await host.close();
    return JSON.stringify(seen);
  };

  expect(await look()).toBe(await look());
});

test("a host shows its plan as written, without values of variables", async () => {
  const { path, folder } = await workspace({
    "show.mjs": moduleSource("show"),
    "mount-plan.yaml": 'version: 1\nname: mine\ntools: [{ module: ./show.mjs, config: { key: "${KEY}" } }]\n',
  });
  const host = await openHost(path("mount-plan.yaml"), { ...quiet, env: { KEY: "hunter2" } });

  expect(await host.call({ name: "show" })).toMatchObject({ result: { data: { key: "hunter2" } } });
  expect(host.plan).toMatchObject({ file: path("mount-plan.yaml"), folder, name: "mine" });
  expect(JSON.stringify([host.plan, host.status()])).not.toContain("hunter2");
  await host.close();
});

test("AMP-N45: modules find the plan's folder as the capability session.working_dir, after a reload too", async () => {
  const { path } = await workspace({
    "one/plan.yaml": "tools: []",
    "two/plan.yaml": "tools: []",
    "bad/plan.yaml": "x",
  });
  const host = await openHost(path("one/plan.yaml"), quiet);
  const look = () => host.coordinator.getCapability("session.working_dir");

  expect(look()).toBe(path("one"));
  await host.reload(path("two/plan.yaml"));
  expect(look()).toBe(path("two"));
  await expect(host.reload(path("bad/plan.yaml"))).rejects.toMatchObject({ code: "PLAN_INVALID" });
  expect(look()).toBe(path("two"));
  await host.close();
});

test("modules can read what no tool may write: everything that the next command reads or imports", async () => {
  const { path } = await workspace({
    "base.yaml": "tools: []",
    "plan.yaml": "extends: ./base.yaml\nstate: sqlite:./kept/state.db\ntools: [{ module: ./tool.ts }]\n",
    "tool.ts": `import "./helper.ts";\n${toolFile("a")}`,
    "helper.ts": "export {};",
    ...installed("@toolmount/store", "export const mount = () => null;"),
  });
  await using host = await openHost(path("plan.yaml"), quiet);

  const untouchable = host.coordinator.getCapability("session.protected_paths")!;
  expect(untouchable.slice(0, 9)).toEqual([
    path("base.yaml"),
    path("plan.yaml"),
    path("base.lock.json"),
    path("plan.lock.json"),
    path("kept/state.db"),
    path("kept/state.db-wal"),
    path("kept/state.db-shm"),
    path("kept/state.db-journal"),
    path(".toolmount"),
  ]);
  expect(untouchable).toEqual(
    expect.arrayContaining([
      path("node_modules"),
      path("package.json"),
      path("tool.ts"),
      path("helper.ts"),
      "**/mount-plan.yaml",
      "**/plan.*.yaml",
      "**/.toolmount",
    ]),
  );
});

test("tools may not write the lock of a plan with several overlays", async () => {
  const { path } = await workspace({
    "plan.yaml": "tools: []",
    "plan.ci.yaml": "tools: []",
    "plan.eu.yaml": "tools: []",
  });
  await using host = await openHost(path("plan.yaml"), { ...quiet, overlays: ["ci", "eu"] });

  expect(host.coordinator.getCapability("session.protected_paths")).toContain(path("plan.ci.eu.lock.json"));
});

test("close is idempotent, ends calls, and dispose is close", async () => {
  const { path } = await workspace({
    "a.ts": toolFile("a"),
    "mount-plan.yaml": "tools: [{ module: ./a.ts }]",
  });
  const host = await openHost(path("mount-plan.yaml"), quiet);

  expect(await host.close()).toBe(await host.close());
  await host[Symbol.asyncDispose]();
  expect(host.status()).toMatchObject({ state: "closed" });
  expect(await host.call({ name: "a" })).not.toMatchObject({ status: "ok" });
  await expect(host.reload()).rejects.toMatchObject({ code: "HOST_CLOSED" });
});

test("a plan found in the working folder is opened without naming it", async () => {
  const { folder } = await workspace({
    "a.ts": toolFile("a"),
    "mount-plan.yaml": "tools: [{ module: ./a.ts }]",
  });
  const host = await openHost(undefined, { ...quiet, cwd: folder });

  expect(host.tools()).toHaveLength(1);
  await host.close();
});

test("a plan is never changed, neither the file nor the given value", async () => {
  const plan = { tools: [{ module: "m", config: { list: [1] } }] };
  const mount = (_: unknown, config: { list: number[] }) => {
    expect(() => config.list.push(2)).toThrow(TypeError);
  };
  const host = await openHost(plan, { ...quiet, extensions: { m: { mount } } });

  expect(plan).toEqual({ tools: [{ module: "m", config: { list: [1] } }] });
  expect(Object.isFrozen(plan.tools[0]?.config)).toBe(false);
  await host.close();
});

test("a plan given as a value must be plain data", async () => {
  const circle: Record<string, unknown> = { tools: [] };
  circle["x-self"] = circle;
  for (const plan of [
    circle,
    { tools: [{ module: "m", config: { f: () => 1 } }] },
    JSON.parse('{"__proto__":{"x":1}}') as object,
  ]) {
    await expect(openHost(plan as Record<string, unknown>, quiet)).rejects.toMatchObject({
      code: "PLAN_INVALID",
    });
  }
});

test("the types let a caller dispose of a host", () => {
  expectTypeOf<OpenedHost>().toExtend<AsyncDisposable>();
});

test("the plan's file may change while the host runs; only reload reads it again", async () => {
  const { path } = await workspace({
    "a.ts": toolFile("a"),
    "mount-plan.yaml": "tools: [{ module: ./a.ts }]",
  });
  const host = await openHost(path("mount-plan.yaml"), quiet);
  await writeFile(path("mount-plan.yaml"), "tools: []");

  expect(host.tools()).toHaveLength(1);
  await host.reload();
  expect(host.tools()).toHaveLength(0);
  await host.close();
});

test("a runtime that is too old is named", async () => {
  const source = resolve(import.meta.dirname, "../../src/index.ts");
  const script = `delete Map.groupBy;
const { openHost } = await import(${JSON.stringify(source)});
await openHost({ version: 1, tools: [] }).catch(({ code, message }) => console.log(code, message));
`;
  const args = ["-C", "@toolmount/source", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, args);

  expect(stdout).toContain(`toolmount needs Node 22.19 or later; this is Node ${process.versions.node}`);
});
