import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { examineProviders, tryModel } from "../../src/host/model-providers.ts";
import { command, oneTool, workspace } from "../support/workspace.ts";

const plan = "# mine\nversion: 1\ntools:\n  - module: hello-world # greets\n";

test("add and remove edit the plan, and leave everything else as it was", async () => {
  const { here: run, read } = await workspace({ "plan.yaml": plan });
  const added = await run([
    "add",
    "filesystem",
    "plan.yaml",
    "--config",
    '{"working_dir":"."}',
    "--entry",
    '{"required":false,"prefix":"fs_"}',
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

test("commands that edit one plan at the same time lose nothing of each other", async () => {
  const names = ["a", "b", "c", "d"];
  const modules = names.map((name) => [`${name}.ts`, oneTool({ name, body: "return data(1);" })]);
  const { run, read } = await workspace({ "plan.yaml": plan, ...Object.fromEntries(modules) });
  expect((await run(["lock", "plan.yaml"])).code).toBe(0);
  const words = [...names.map((name) => ["add", `./${name}.ts`]), ["remove", "hello-world"]];
  const ended = await Promise.all(words.map((one) => run([...one, "plan.yaml"])));
  const text = await read("plan.yaml");

  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(words.map(() => [0, expect.any(String)]));
  expect(names.filter((name) => text.includes(`module: ./${name}.ts`))).toEqual(names);
  expect(text).not.toContain("hello-world");
  const { tools } = JSON.parse(await read("plan.lock.json")) as { tools: object };
  expect(Object.keys(tools)).toEqual(expect.arrayContaining(names));
});

test("tokens that are added at the same time are all kept, or said to be not", async () => {
  const { run, read } = await workspace({});
  const names = ["a", "b", "c"];
  const ended = await Promise.all(
    names.map((name) => run(["serve", "tokens", "add", "t.json", name, "--print"])),
  );
  const { tokens } = JSON.parse(await read("t.json")) as { tokens: readonly { name: string }[] };

  expect(tokens.map(({ name }) => name).toSorted()).toEqual(names.filter((_, at) => ended[at]?.code === 0));
  for (const { code, stderr } of ended)
    if (code !== 0) expect(stderr).toContain("it was changed meanwhile; run the command again");
});

test.each([
  [["filesystm"], "SOURCE_NOT_FOUND", 'did you mean "filesystem"?'],
  [["filesystem", "--config", '{"wrong":1}'], "CONFIG_INVALID", 'unknown key "wrong"'],
  [["./gone.ts"], "SOURCE_NOT_FOUND", 'module "./gone.ts" was not found'],
  [["./broken.ts"], "MODULE_IMPORT_FAILED", "no such town"],
  [["./ends.ts"], "MODULE_IMPORT_FAILED", "it ended the process"],
  [["./strict.ts", "--config", '{"town":1}'], "CONFIG_INVALID", "town"],
  [
    ["hello-world", "--entry", '{"prefix":"other_"}'],
    "PLAN_VALUE_INVALID",
    'has an entry "hello-world" already, and its prefix',
  ],
  [
    ["filesystem", "--entry", '{"id":"fs","prefixes":"fs_"}'],
    "PLAN_KEY_UNKNOWN",
    'unknown key "prefixes"; did you mean "prefix"?',
  ],
])("add %j writes nothing and says why", async (words, code, says) => {
  const { here: run, read } = await workspace({
    "plan.yaml": plan,
    "broken.ts": 'throw new Error("no such town");\n',
    "ends.ts": "process.exit(0);\n",
    "strict.ts":
      'import { z } from "zod";\nexport const config = z.strictObject({ town: z.string() });\nexport function mount() {}\n',
  });
  const { code: exit, stdout, stderr } = await run(["add", words[0]!, "plan.yaml", ...words.slice(1)]);

  expect([exit, stdout]).toEqual([78, ""]);
  expect(stderr).toContain(code);
  expect(stderr).toContain(says);
  expect(stderr).not.toContain("npm install");
  expect(await read("plan.yaml")).toBe(plan);
});

test("add accepts a module without a manifest, a variable that is not set yet, and a second id of a module", async () => {
  const { here: run, read } = await workspace({
    "plan.yaml": plan,
    "greet.ts": "export function mount() {}\n",
  });
  const codes = [
    (await run(["add", "./greet.ts", "plan.yaml", "--config", '{"key":"${NOT_SET}"}'])).code,
    (await run(["add", "hello-world", "plan.yaml", "--entry", '{"id":"again","prefix":"other_"}'])).code,
  ];

  expect(codes).toEqual([0, 0]);
  expect(await read("plan.yaml")).toContain("    id: again\n    prefix: other_\n");
});

test("import adds the servers of another application, and reports which variables to set", async () => {
  const { here: run, read } = await workspace({
    "plan.yaml": plan,
    "mcp.json": '{ "mcpServers": { "gh": { "command": "gh-server", "env": { "GH_TOKEN": "abcdef" } } } }',
  });
  const { code, stdout } = await run(["import", "mcp.json", "plan.yaml"]);

  expect([code, stdout]).toEqual([
    0,
    "✔ plan.yaml: added gh\n  set the environment variable GH_TOKEN (gh, GH_TOKEN)\n",
  ]);
  expect(await read("plan.yaml")).toContain("GH_TOKEN: ${GH_TOKEN}");
  expect(await read("plan.yaml")).not.toContain("abcdef");
});

test("import leaves out servers that are plans which toolmount serves, and keeps the others", async () => {
  const page = createServer((_request, response) => response.end("<title>toolmount</title>"));
  await new Promise<void>((resolve) => void page.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  const [main = ""] = command.slice(-1);
  const serving: Record<string, object> = {
    a: { command: "toolmount", args: ["serve", "--stdio"] },
    b: { command: "npx", args: ["-y", "toolmount@latest", "serve", "plan.yaml", "--stdio"] },
    c: { command: "node", args: ["/srv/node_modules/toolmount/dist/main.js", "serve", "--stdio"] },
    d: { command: "/srv/node_modules/.bin/toolmount.cmd", args: ["--plan", "x.yaml", "serve", "--stdio"] },
    e: { command: "sh", args: ["-c", "cd /srv && npx toolmount serve --stdio"] },
    f: { command: process.execPath, args: [...command, "serve", "plan.yaml", "--stdio"] },
    g: { url: `http://127.0.0.1:${port}/mcp` },
  };
  const others = {
    x: { command: "npx", args: ["some-server", "serve"] },
    y: { command: "toolmount-like", args: ["serve"] },
    z: { url: "http://127.0.0.1:9/mcp" },
  };
  const { run, read } = await workspace({
    "plan.yaml": plan,
    "mcp.json": JSON.stringify({ mcpServers: { ...serving, ...others } }),
  });
  const { code, stdout } = await run(["import", "mcp.json", "plan.yaml"]);

  expect(main).toMatch(/main\.(?:ts|js)$/);
  expect([code, stdout.split("\n")[0]]).toEqual([0, "✔ plan.yaml: added x, y, z"]);
  for (const name of Object.keys(serving)) expect(stdout).toContain(`  left out ${name} (`);
  expect((await read("plan.yaml")).match(/module: [a-g]$/gm)).toBeNull();
});

test("doctor reports results of trials, missing peers and engines, useless entries, and what does not exist yet", async () => {
  const { here: run } = await workspace({
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
  const long = await run(["doctor", "plan.yaml", "--verbose"]);

  expect(people.code).toBe(1);
  expect(people.stdout).toMatch(/✔ node +\d+\.\d+/);
  expect(people.stdout).toMatch(
    /✔ bubblewrap .*; \d\d ways out of it were tried, and none worked|• bubblewrap /,
  );
  expect(people.stdout).toMatch(/✔ bash .*; \d\d ways out of it were tried, and none worked|• bash /);
  expect(people.stdout).toMatch(/✔ process .*strictest is (bubblewrap|permission)/);
  expect(people.stdout).toMatch(/✔ fleet .*workers of other machines/);
  expect(people.stdout).toMatch(
    /^. model +\d+ providers lack a key, a package or a server: toolmount doctor models$/m,
  );
  expect(people.stdout).not.toMatch(/model +anthropic/);
  expect(people.stdout).toContain("./odd: it needs Node >=99");
  expect(people.stdout).toContain("./odd: its peer @acme/gone is not installed; npm install @acme/gone");
  expect(people.stdout).toContain("hello-world: the entry excludes all of its tools");
  expect(people.stdout).not.toContain("@acme/maybe");
  expect(long.stdout).toMatch(
    /none worked:\n +read a secret file\n[\s\S]* write a setting of the kernel\n|• bubblewrap /,
  );
  expect(programs.json()).toMatchObject({
    doubts: [{ kind: "engine" }, { kind: "peer" }, { kind: "unused" }],
    problems: [],
  });
});

test("doctor tries the model of the plan, by its server, and names no other provider", async () => {
  const keys: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    keys.push(headers.authorization);
    response.setHeader("content-type", "application/json").end('{"data":[{"id":"m"}]}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const agent = { model: "m", baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "${OWN_KEY}" };
  const env = { OWN_KEY: "k" };
  const { here: run, folder } = await workspace({
    "plan.yaml": `version: 1\ntools: []\nagent: ${JSON.stringify(agent)}\n`,
  });
  const { stdout } = await run(["doctor", "plan.yaml"], { env });
  const models = stdout.split("\n").filter((line) => /^. model /.test(line));
  const known = await examineProviders(undefined, { env, cwd: folder });
  const problemOf = async (given: object) => (await tryModel(given, known, env))?.problem;

  expect(models).toEqual([expect.stringMatching(/✔ model +m, of the plan: its server answers$/)]);
  expect(keys).toContain("Bearer k");
  expect(await problemOf({ model: "m", baseUrl: "http://127.0.0.1:9/v1" })).toContain(
    "does not list its models",
  );
  expect(await problemOf({ model: "openai:gpt-5" })).toContain("OPENAI_API_KEY");
  expect(await tryModel({}, known, env)).toBeNull();
});

test("add tries a module of another library: it names the exports to choose, then shows the tools and writes the entry", async () => {
  const tool = (name: string, more = "") =>
    `export const ${name} = () => ({ description: "Looks up.", parameters: { type: "object", properties: {} }, execute: () => 1 ${more} });`;
  const { here: run, read } = await workspace({
    "plan.yaml": "version: 1\ntools: []\n",
    "tools.mjs": `${tool("look")}\n${tool("wipe", ", needsApproval: true")}`,
  });
  const refused = await run(["add", "./tools.mjs", "plan.yaml"]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr.replaceAll(/\s+/g, " ")).toContain("export: [look, wipe]");
  expect(await read("plan.yaml")).toBe("version: 1\ntools: []\n");

  const { stdout } = await run(["add", "./tools.mjs", "plan.yaml", "--entry", '{"export":["look","wipe"]}']);
  expect(stdout).toMatch(/look .*does not ask .*\n.*wipe .* asks /);
  expect(await read("plan.yaml")).toContain("export:\n      - look\n      - wipe");
});
