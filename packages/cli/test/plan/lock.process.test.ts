import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { oneTool, planOf, root, workspace } from "../support/workspace.ts";

test("lock records the tools; a tool that changes is reported and cannot be called until it is accepted", async () => {
  const greet = (schema: string) => oneTool({ name: "greet", schema, body: "return data(params.name);" });
  const {
    here: run,
    read,
    folder,
  } = await workspace({
    "plan.yaml": planOf("./greet.ts"),
    "greet.ts": greet("name: z.string()"),
  });
  const call = () => run(["call", "plan.yaml", "greet", '{"name":"Ada"}', "--json"]);
  const locked = await run(["lock", "plan.yaml"]);
  const checked = await run(["lock", "plan.yaml", "--check"]);

  expect([locked.code, locked.stdout]).toEqual([0, "✔ plan.lock.json is written\n"]);
  expect([checked.code, checked.stdout]).toEqual([0, "✔ plan.lock.json matches\n"]);
  expect(JSON.parse(await read("plan.lock.json"))).toMatchObject({
    version: 1,
    tools: { greet: { module: "./greet.ts" } },
  });
  expect((await call()).code).toBe(0);

  await writeFile(`${folder}/greet.ts`, greet("name: z.string(), secret: z.string().optional()"));
  const drifted = await run(["lock", "plan.yaml", "--check"]);
  expect([drifted.code, drifted.stdout]).toEqual([
    1,
    `./greet.ts  1 tool
  changed greet
    inputSchema.properties.secret
      + {
      +   "type": "string"
      + }
✖ 1 tool changed since plan.lock.json; review, then run toolmount lock --accept
`,
  ]);
  const seen = await run(["check", "plan.yaml"]);
  expect([seen.code, seen.stdout]).toEqual([0, expect.stringContaining("inputSchema.properties.secret")]);
  const diagnosed = await run(["doctor", "plan.yaml"]);
  expect([diagnosed.code, diagnosed.stdout]).toEqual([
    1,
    expect.stringContaining("1 tool changed since the lock"),
  ]);
  expect((await call()).json()).toMatchObject({ status: "denied", result: { code: "LOCK_DRIFT" } });
  expect((await run(["lock", "plan.yaml", "--accept"])).code).toBe(0);
  expect((await call()).code).toBe(0);
});

test("one of several changed tools is accepted; a tool that became milder is marked and named", async () => {
  const tools = (confirm: string, category: string, word: string) => ({
    "a.ts": oneTool({ name: "erase", confirm, body: "return data(1);" }).replace('"side_effect"', category),
    "b.ts": oneTool({ name: "greet", body: "return data(1);" }).replace("Does what", word),
  });
  const plan = { "plan.yaml": planOf("./a.ts", "./b.ts") };
  const { here: run, folder } = await workspace({ ...plan, ...tools("true", '"delete"', "Does what") });
  await run(["lock", "plan.yaml"]);
  for (const [path, text] of Object.entries(tools("false", '"read"', "Does all that")))
    await writeFile(`${folder}/${path}`, text);
  const seen = await run(["lock", "plan.yaml", "--check"]);
  const wrong = await run(["lock", "plan.yaml", "--accept", "--tool", "gret"]);
  const alone = await run(["lock", "plan.yaml", "--tool", "greet"]);
  const accepted = await run(["lock", "plan.yaml", "--accept", "--tool", "greet"]);
  const after = await run(["lock", "plan.yaml", "--check", "--json"]);

  expect(seen.stdout).toContain("category  ⚠ it says that it is milder than before");
  expect(seen.stdout).toContain("requiresConfirmation  ⚠ it asks less than before");
  expect(seen.stdout).toContain("⚠ needs less care now, by its own word: erase\n");
  expect(seen.stdout).toContain("--accept --tool <name>");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("these do: erase, greet")]);
  expect(alone.code).toBe(2);
  expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining("still denied: erase\n")]);
  expect(after.json()["changes"]).toMatchObject([
    { tool: "erase", differences: expect.arrayContaining([expect.objectContaining({ care: "less" })]) },
  ]);
  expect((await run(["call", "plan.yaml", "greet", "--json"])).json()).toMatchObject({ status: "ok" });
  expect((await run(["call", "plan.yaml", "erase", "--json"])).json()).toMatchObject({
    result: { code: "LOCK_DRIFT" },
  });
});

/** An MCP server without tools. */
const server = `import { createInterface } from "node:readline";
const serverInfo = { name: "served", version: "1.0.0" };
createInterface(process.stdin).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
    "tools/list": { tools: [] },
  };
  const error = { code: -32601, message: "Method not found" };
  const answer = results[method] === undefined ? { error } : { result: results[method] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
`;

test("an upgraded server is accepted tool by tool, or at once by its module", async () => {
  const tool = (name: string, more: object = {}) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    ...more,
  });
  const script = `import { readFileSync } from "node:fs";\n${server}`
    .replace("{ tools: [] }", '{ tools: JSON.parse(readFileSync("tools.json")) }')
    .replace('"tools/list"', '"tools/call": { content: [{ type: "text", text: "ran" }] },\n    "tools/list"');
  const { here: run, folder } = await workspace({
    "plan.yaml": "tools: [{ module: served, source: { mcp: { command: node, args: [./srv.mjs] } } }]\n",
    "srv.mjs": script,
    "tools.json": JSON.stringify([tool("a"), tool("b"), tool("c")]),
  });
  expect((await run(["lock", "plan.yaml"])).code).toBe(0);
  const now = { inputSchema: { type: "object", properties: { x: { type: "string" } } } };
  await writeFile(`${folder}/tools.json`, JSON.stringify([tool("a", now), tool("b", now), tool("d")]));

  const status = async (name: string) =>
    (await run(["call", "plan.yaml", name, "--json"])).json()["status"] as string;
  const seen = await run(["lock", "plan.yaml", "--check"]);
  const one = await run(["lock", "plan.yaml", "--accept", "--tool", "a"]);

  expect(seen.stdout).toContain("changed a, b\n");
  expect(one.stdout).toContain("still denied: b, c, d\n");
  expect([await status("a"), await status("b")]).toEqual(["ok", "denied"]);
  expect((await run(["lock", "plan.yaml", "--accept", "--tool", "served"])).code).toBe(0);
  expect([await status("a"), await status("b"), await status("d")]).toEqual(["ok", "ok", "ok"]);
  expect((await run(["lock", "plan.yaml", "--check"])).code).toBe(0);
});

const pinned = {
  "plan.yaml": `version: 1
tools:
  - module: ./greet.ts
  - module: served
    required: false
    source: { mcp: { command: node, args: [./servers/srv.mjs] } }
  - { module: skills, source: "file:${root}/tools/skills", config: { folders: [./skills] } }
hooks:
  - command: sh ./guard/check.sh
`,
  "greet.ts": oneTool({ name: "greet", schema: "", body: "return data(1);" }),
  "guard/check.sh": ". ./guard/lib.sh\ncat >/dev/null\nexit 0\n",
  "guard/lib.sh": "true\n",
  "servers/srv.mjs": server,
  "skills/note/SKILL.md": "---\nname: note\ndescription: Takes a note.\n---\nDo it.\n",
};

test.each([
  ["servers/srv.mjs", `${server}// changed\n`, 6],
  ["skills/note/SKILL.md", "---\nname: note\ndescription: Other.\n---\n", 7],
  ["skills/note/more.md", "new\n", 7],
])(
  "lock --check reports that %s changed; tools that are as they were can be called",
  async (name, text, line) => {
    const { here: run, folder } = await workspace(pinned);
    const { code, stderr } = await run(["lock", "plan.yaml"]);
    expect(stderr).not.toContain("✖");
    expect(code).toBe(0);
    await writeFile(`${folder}/${name}`, text);
    const checked = await run(["lock", "plan.yaml", "--check"]);
    const called = await run(["call", "plan.yaml", "greet", "--json"]);

    expect([checked.code, checked.stdout]).toEqual([
      1,
      expect.stringContaining(`LOCK_DRIFT plan.yaml:${line}`),
    ]);
    expect(checked.stdout).toContain(`the file "${name}"`);
    expect([called.code, (await run(["lock", "plan.yaml", "--accept"])).code]).toEqual([0, 0]);
    expect((await run(["lock", "plan.yaml", "--check"])).code).toBe(0);
  },
);

test.each([
  ["guard/check.sh", "touch started\n", 9],
  ["guard/lib.sh", "touch started\n", 9],
])(
  "a plan with a lock does not open when %s, a script of a hook, changed, and nothing of it runs",
  async (name, text, line) => {
    const { here: run, read, folder } = await workspace(pinned);
    const locked = await run(["lock", "plan.yaml"]);
    const before = await run(["call", "plan.yaml", "greet", "--json"]);
    await writeFile(`${folder}/${name}`, text);
    const checked = await run(["lock", "plan.yaml", "--check"]);
    const called = await run(["call", "plan.yaml", "greet", "--json"]);
    const seen = await run(["check", "plan.yaml", "--json"]);

    expect([locked.code, before.code]).toEqual([0, 0]);
    expect([checked.code, checked.stdout]).toEqual([
      1,
      expect.stringContaining(`LOCK_DRIFT plan.yaml:${line}`),
    ]);
    expect(checked.stdout).toContain(`the file "${name}"`);
    expect(checked.stdout).toContain("toolmount lock --accept");
    expect([called.code, called.stdout]).toEqual([78, expect.stringContaining("LOCK_DRIFT")]);
    expect([seen.code, seen.json()]).toEqual([
      78,
      expect.objectContaining({ problems: [expect.objectContaining({ code: "LOCK_DRIFT", line })] }),
    ]);
    await expect(read("started")).rejects.toThrow("ENOENT");
    expect((await run(["lock", "plan.yaml", "--accept"])).code).toBe(0);
    expect((await run(["lock", "plan.yaml", "--check"])).code).toBe(0);
  },
);

test("a lock pins scripts and skills by their paths from the plan, and no program of the system", async () => {
  const { here: run, read } = await workspace(pinned);
  await run(["lock", "plan.yaml"]);

  const { files } = JSON.parse(await read("plan.lock.json")) as { files: Record<string, string> };
  expect(Object.keys(files)).toEqual([
    "guard/check.sh",
    "guard/lib.sh",
    "servers/srv.mjs",
    "skills/note/SKILL.md",
  ]);
});

test("a lock of an older version, without scripts, stays valid", async () => {
  const { here: run, read, folder } = await workspace(pinned);
  await run(["lock", "plan.yaml"]);
  const { files: _, ...older } = JSON.parse(await read("plan.lock.json")) as Record<string, unknown>;
  await writeFile(`${folder}/plan.lock.json`, JSON.stringify(older));
  await writeFile(`${folder}/guard/lib.sh`, "false\n");

  expect((await run(["lock", "plan.yaml", "--check"])).code).toBe(0);
  expect((await run(["call", "plan.yaml", "greet", "--json"])).code).toBe(0);
});

test("check names the scripts and skills that the next command runs, and warns of one that a tool may write", async () => {
  const { here: run } = await workspace({
    ...pinned,
    "plan.yaml": `${pinned["plan.yaml"]}  - command: sh ./servers/data/hook.sh
`.replace(
      "args: [./servers/srv.mjs]",
      "args: [./servers/srv.mjs], write: [./servers/data], border: bubblewrap",
    ),
    "servers/data/hook.sh": "true\n",
  });
  const text = await run(["check", "plan.yaml", "--no-load"]);
  const json = (await run(["check", "plan.yaml", "--no-load", "--json"])).json();

  expect(text.stdout).toContain(
    "tools cannot change: guard/check.sh, guard/lib.sh, servers/srv.mjs, skills\n",
  );
  expect(text.stdout).toContain(
    "⚠ the next command runs or reads, and a tool may change: servers/data/hook.sh (served)",
  );
  expect(json["nextFiles"]).toContainEqual({ file: "servers/data/hook.sh", writableBy: "served" });
  expect(json["nextFiles"]).toContainEqual({ file: "guard/lib.sh" });
});

/** A module that mounts only where the file `up` is, as a server that is started later. */
const later = `import { existsSync } from "node:fs";
import { join } from "node:path";
export function mount(coordinator) {
  if (!existsSync(join(import.meta.dirname, "up"))) throw new Error("it is away");
  coordinator.mount("tools", { name: "later", description: "Comes later. Use when asked. Not else.", schema: { type: "object", properties: {} },
    category: "read", consequenceLevel: "low", requiresConfirmation: false, execute: () => ({ data: 1 }) });
}`;

test("a module that is away is neither locked nor taken for locked: lock ends with 1, and its tools are not in the lock file", async () => {
  const entry = (module: string) => `  - { module: ${module}, required: false }\n`;
  const {
    here: run,
    write,
    folder,
  } = await workspace({
    "one.yaml": `version: 1\ntools:\n${entry("./later.js")}`,
    "two.yaml": `version: 1\ntools:\n${entry("./later.js")}${entry("./greet.ts")}`,
    "later.js": later,
    "greet.ts": oneTool({ name: "greet", schema: "", body: "return data(1);" }),
  });

  const empty = await run(["lock", "one.yaml"]);
  expect([empty.code, empty.stdout]).toEqual([
    1,
    expect.stringContaining("✖ one.lock.json is not written: no module answered"),
  ]);
  expect(existsSync(`${folder}/one.lock.json`)).toBe(false);

  const half = await run(["lock", "two.yaml"]);
  expect([half.code, half.stdout]).toEqual([
    1,
    expect.stringContaining("⚠ two.lock.json is written, without 1 module that did not answer"),
  ]);

  await write("up", "");
  const denied = (await run(["call", "two.yaml", "later", "--json"])).json();
  expect(denied).toMatchObject({
    status: "denied",
    result: {
      code: "LOCK_DRIFT",
      error: expect.stringContaining('"later" is not in the lock file') as string,
    },
  });
  expect((await run(["list", "two.yaml"])).stdout).toContain("denied: not locked");
  expect((await run(["lock", "two.yaml"])).stdout).toContain("✖ 1 tool is not in two.lock.json; review");

  expect((await run(["lock", "two.yaml", "--accept"])).code).toBe(0);
  await rm(`${folder}/up`);
  const kept = await run(["lock", "two.yaml", "--accept"]);
  expect([kept.code, kept.stdout]).toEqual([
    1,
    expect.stringContaining("⚠ two.lock.json is written, without 1 module"),
  ]);
  await write("up", "");
  expect((await run(["call", "two.yaml", "later", "--json"])).json()).toMatchObject({ status: "ok" });
});

test.each([["list"], ["lock"], ["check"], ["doctor", "status"]])(
  "a server that is away is said once: %s %s",
  async (...words) => {
    const source = "source: { mcp: { command: node, args: [gone.mjs] } }";
    const plan = `version: 1\ntools:\n  - module: gone\n    ${source}\n    required: false\n`;
    const { run } = await workspace({ "mount-plan.yaml": plan });
    const { stdout, stderr } = await run(words);

    expect(`${stdout}${stderr}`.match(/"gone" cannot be reached: it ended with code 1/g)).toHaveLength(1);
  },
);
