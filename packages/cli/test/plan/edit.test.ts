import { expect, test } from "vitest";
import { workspace } from "../support/workspace.ts";

const plan = "# mine\nversion: 1\ntools:\n  - module: hello-world # greets\n";

test("add and remove edit the plan, and leave everything else as it was", async () => {
  const { run, read } = await workspace({ "plan.yaml": plan });
  const added = await run([
    "add",
    "filesystem",
    "plan.yaml",
    "--config",
    '{"working_dir":"."}',
    "--prefix",
    "fs_",
    "--optional",
  ]);

  expect([added.code, added.stdout]).toEqual([0, "✔ plan.yaml: added filesystem\n"]);
  expect(await read("plan.yaml")).toBe(
    `${plan}  - module: filesystem\n    required: false\n    prefix: fs_\n    config:\n      working_dir: .\n`,
  );
  expect((await run(["add", "filesystem", "plan.yaml"])).stdout).toBe(
    "• plan.yaml: has already filesystem\n",
  );
  expect((await run(["remove", "filesystem", "plan.yaml"])).code).toBe(0);
  expect(await read("plan.yaml")).toBe(plan);
  expect((await run(["remove", "gone", "plan.yaml"])).code).toBe(78);
});

test("import adds the servers of another application, and reports which variables to set", async () => {
  const { run, read } = await workspace({
    "plan.yaml": plan,
    "mcp.json": '{ "mcpServers": { "gh": { "command": "gh-server", "env": { "GH_TOKEN": "abcdef" } } } }',
  });
  const { code, stdout } = await run(["import", "mcp.json", "plan.yaml"]);

  expect([code, stdout]).toEqual([0, "✔ plan.yaml: added gh\n  set GH_TOKEN (gh, GH_TOKEN)\n"]);
  expect(await read("plan.yaml")).toContain("GH_TOKEN: ${GH_TOKEN}");
  expect(await read("plan.yaml")).not.toContain("abcdef");
});

test("S5, O1: doctor reports results of trials, missing peers and engines, useless entries, and what does not exist yet", async () => {
  const { run } = await workspace({
    "plan.yaml":
      "version: 1\ntools:\n  - module: ./odd\n  - module: hello-world\n    tools: { include: [] }\n",
    "odd/package.json": JSON.stringify({
      name: "@acme/odd",
      version: "1.0.0",
      exports: "./index.js",
      engines: { node: ">=99" },
      peerDependencies: { "@acme/gone": "*", "@acme/maybe": "*" },
      peerDependenciesMeta: { "@acme/maybe": { optional: true } },
      toolmount: { mounts: ["tools"], static: true, tools: [] },
    }),
    "odd/index.js": "throw new Error('this module ran')",
  });
  const people = await run(["doctor", "plan.yaml"]);
  const programs = await run(["doctor", "plan.yaml", "--json"]);

  expect(people.code).toBe(1);
  expect(people.stdout).toMatch(/✔ node +\d+\.\d+/);
  expect(people.stdout).toMatch(/[✔•] bwrap /);
  expect(people.stdout).not.toMatch(/✔ process/);
  expect(people.stdout).toMatch(/– not yet .*@toolmount\/workers/);
  expect(people.stdout).toContain("./odd: it needs Node >=99");
  expect(people.stdout).toContain("./odd: its peer @acme/gone is not installed; npm install @acme/gone");
  expect(people.stdout).toContain("hello-world: the entry excludes all of its tools");
  expect(people.stdout).not.toContain("@acme/maybe");
  expect(programs.json()).toMatchObject({
    doubts: [{ kind: "engine" }, { kind: "peer" }, { kind: "unused" }],
    problems: [],
  });
});
