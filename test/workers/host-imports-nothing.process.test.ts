import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { behind, folderOf, linesOf, open, peekModule, problemsOf, weather } from "./world.ts";

const borders = ["permission", "bubblewrap", "srt", "strictest"] as const;

const planOf = (record: string, run: object, config: object = {}) => ({
  version: 1,
  tools: [{ module: weather, config: { record, ...config }, run }],
});

test.each(borders)("behind %s only processes of the border import a module, and mount it", async (border) => {
  const record = await folderOf();
  vi.stubEnv("TOOLMOUNT_CANARY", "bird");
  const host = await open(planOf(record, behind(border, { write: [record] })));
  const { result } = await host.call({ name: "forecast", arguments: { city: "Oslo" } });

  expect(result.data).toEqual({ city: "Oslo", days: 3, unit: "celsius", pid: expect.any(Number) });
  expect((result.data as { pid: number }).pid).not.toBe(process.pid);
  const imports = await linesOf(join(record, "imports.txt"));
  expect(imports.length).toBeGreaterThan(0);
  for (const line of imports) expect(line).toMatch(/^\d+ no canary$/);
  if (border === "permission") expect(imports).not.toContain(`${process.pid} no canary`);
});

test("without a border the host imports it, too", async () => {
  const record = await folderOf();
  await open(planOf(record, behind("none")));

  expect(await linesOf(join(record, "imports.txt"))).toEqual([`${process.pid} no canary`]);
});

test("the tools are the same as those of a host that imports the module", async () => {
  const record = await folderOf();
  const far = await open(planOf(record, behind("bubblewrap", { write: [record] })));
  const inline = await open(planOf(record, { in: "inline" }));

  expect(far.tools()).toEqual(inline.tools());
  expect(far.tools().map(({ name }) => name)).toEqual(["ask_forecaster", "forecast"]);
});

test("a fetched module cannot write a file of the machine while it is mounted", async () => {
  const outside = await folderOf();
  const top = `try { appendFileSync(${JSON.stringify(join(outside, "written.txt"))}, "x"); } catch {}`;
  const manifest = '{ "name": "acme-peek", "version": "1.0.0", "type": "module", "main": "index.js" }';
  const cwd = await folderOf({
    "node_modules/acme-peek/package.json": manifest,
    "node_modules/acme-peek/index.js": peekModule(top),
  });
  const plan = { version: 1, tools: [{ module: "peek", source: "npm:acme-peek" }] };
  const host = await open(plan, { cwd });
  const { result } = await host.call({ name: "peek", arguments: { path: "/etc/hostname" } });
  expect(result.data).toEqual({ pid: expect.any(Number), refused: expect.any(String) });
  await expect(access(join(outside, "written.txt"))).rejects.toThrow("ENOENT");

  await open({ version: 1, tools: [{ ...plan.tools[0], run: { in: "inline" } }] }, { cwd });
  await access(join(outside, "written.txt"));
});

test("the process parses the config by the module's schema", async () => {
  const record = await folderOf();
  const run = behind("bubblewrap", { write: [record] });
  const host = await open(planOf(record, run, { unit: "kelvin" }));
  const { result } = await host.call({ name: "forecast", arguments: { city: "Oslo" } });
  expect(result.data).toMatchObject({ unit: "kelvin" });

  expect(await problemsOf(planOf(record, run, { unit: "miles" }))).toEqual([
    expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringMatching(/unit: .*celsius/) }),
  ]);
});

test("arguments are checked by the JSON Schema in the host, and by the tool's own schema in the process", async () => {
  const record = await folderOf();
  const far = await open(planOf(record, behind("bubblewrap", { write: [record] })));
  const inline = await open(planOf(record, { in: "inline" }));
  const call = async (host: typeof far, given: object) => {
    const { status, result } = await host.call({ name: "forecast", arguments: given as never });
    return { status, code: result.code, error: result.error, data: result.data, details: result.details };
  };

  expect(await call(far, { city: " Oslo ", days: 2 })).toMatchObject({ data: { city: "Oslo", days: 2 } });
  expect(await call(far, { days: 2 })).toMatchObject({ status: "invalid", code: "INVALID_ARGUMENTS" });
  expect(await call(far, { city: "Oslo", days: 99 })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  // Only code can check these.
  for (const given of [{ city: "Oslo", from: "yesterday" }, { city: " a " }]) {
    const there = await call(far, given);
    expect(there).toMatchObject({ status: "invalid", code: "INVALID_ARGUMENTS" });
    expect(there).toEqual(await call(inline, given));
  }
});

test("a tool that decides by its arguments whether a person is asked always asks", async () => {
  const record = await folderOf();
  const host = await open(planOf(record, behind("bubblewrap", { write: [record] })));

  expect(host.tools().find(({ name }) => name === "ask_forecaster")?.requiresConfirmation).toBe("dynamic");
  const { status } = await host.call({ name: "ask_forecaster", arguments: { loud: false } });
  expect(status).toBe("denied");
});

test("a module that does more than mount tools is refused, and the error says what to write", async () => {
  const modules: readonly (readonly [string, RegExp])[] = [
    ['coordinator.hooks.gate("tool:pre", () => undefined)', /registers a hook/],
    ['coordinator.registerCapability("acme.client", {})', /capability "acme.client"/],
    ['coordinator.mount("policies", { name: "p", judge: () => null })', /mounts at "policies"/],
    ['coordinator.provide("auth", () => 1)', /adds "auth" to the context/],
    ['coordinator.registerContributor("acme.events", "a", () => mount)', /contributes to "acme.events"/],
    ["return; } export function onSessionReady() {", /exports onSessionReady/],
  ];
  const cwd = await folderOf(
    Object.fromEntries(
      modules.map(([act], at) => [`module${at}.js`, `export function mount(coordinator) { ${act}; }`]),
    ),
  );
  const run = behind("bubblewrap");
  const tools = modules.map((_, at) => ({ module: `./module${at}.js`, run }));
  const problems = await problemsOf({ version: 1, tools }, { cwd });

  expect(problems).toHaveLength(modules.length);
  for (const [at, { code, message }] of problems.entries()) {
    expect(code).toBe("MODULE_MOUNT_FAILED");
    expect(message).toMatch(modules[at]![1]);
    expect(message).toContain("run: { in: inline }");
    expect(message).not.toContain("far-process");
  }
  await open({ version: 1, tools: [{ module: "./module0.js", run: behind("none") }] }, { cwd });
});

test("the texts of a tool are checked as those of a module that the host imports", async () => {
  const hidden = "Reads a file.\u{E0041}\u{E0042} Use it in tests.";
  const cwd = await folderOf({ "hidden.js": peekModule("", hidden) });
  const plan = (run: object) => ({ version: 1, tools: [{ module: "./hidden.js", run }] });

  const [there] = await problemsOf(plan(behind("bubblewrap")), { cwd });
  const [here] = await problemsOf(plan({ in: "inline" }), { cwd });
  expect(there).toMatchObject({ code: "TOOL_INVALID" });
  expect(there?.message).toBe(here?.message);
});

test("a reload runs the code that the file has now", async () => {
  const cwd = await folderOf({ "peek.js": peekModule("", "Reads the first file. Use it in tests.") });
  await writeFile(
    join(cwd, "plan.yaml"),
    JSON.stringify({ version: 1, tools: [{ module: "./peek.js", run: behind("bubblewrap") }] }),
  );
  const host = await open(join(cwd, "plan.yaml"));
  expect((await host.call({ name: "peek", arguments: { path: "/x" } })).status).toBe("ok");
  const changed = peekModule("", "Reads the second file. Use it in tests.");
  await writeFile(join(cwd, "peek.js"), changed.replace("refused: error.code", "refused: 'by the new code'"));
  await host.reload();

  expect(host.tools()[0]?.description).toContain("second");
  const { result } = await host.call({ name: "peek", arguments: { path: "/x" } });
  expect(result.data).toMatchObject({ refused: "by the new code" });
});

test("with wake: call and a manifest no process starts before the first call, and the host imports nothing", async () => {
  const tool = {
    name: "peek",
    description: "Reads a file. Use it in tests. Not for anything else.",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
  };
  const toolmount = { mounts: ["tools"], static: true, tools: [tool] };
  const record = await folderOf();
  const top = `appendFileSync(${JSON.stringify(join(record, "imports.txt"))}, process.pid + "\\n");`;
  const cwd = await folderOf({
    "node_modules/acme-peek/package.json": JSON.stringify({
      name: "acme-peek",
      version: "1.0.0",
      type: "module",
      main: "index.js",
      toolmount,
    }),
    "node_modules/acme-peek/index.js": peekModule(top),
  });
  const run = behind("permission", { write: [record] });
  const host = await open(
    { version: 1, tools: [{ module: "peek", source: "npm:acme-peek", wake: "call", run }] },
    { cwd },
  );
  expect(host.tools().map(({ name }) => name)).toEqual(["peek"]);
  expect(await linesOf(join(record, "imports.txt"))).toEqual([]);

  const { result } = await host.call({ name: "peek", arguments: { path: "/etc/hostname" } });
  expect(result.data).toMatchObject({ refused: "ERR_ACCESS_DENIED" });
  const imports = await linesOf(join(record, "imports.txt"));
  expect(imports.length).toBeGreaterThan(0);
  expect(imports).not.toContain(String(process.pid));
  expect((await host.call({ name: "peek", arguments: { path: 1 } })).status).toBe("invalid");
});

const forge = (message: object) =>
  `import { writeSync } from "node:fs";
writeSync(3, ${JSON.stringify(`${JSON.stringify(message)}\n`)});
await new Promise(() => {});`;

const honest = {
  name: "peek",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: {} },
};

const forgeries: readonly (readonly [string, object, RegExp])[] = [
  ["an unknown member", { tools: [{ ...honest, execute: "code" }] }, /not valid: tools.0: .*execute/],
  [
    "a description that is too long",
    { tools: [{ ...honest, description: "x".repeat(60_000) }] },
    /report of its tools is not valid: tools/,
  ],
  [
    "too many tools",
    { tools: Array.from({ length: 1_001 }, () => honest) },
    /report of its tools is not valid: tools/,
  ],
  ["a name that is a path", { tools: [{ ...honest, name: "../peek" }] }, /its name must be/],
  ["a name of every object", { tools: [{ ...honest, name: "toString" }] }, /every JavaScript object/],
  [
    "a schema that is no object",
    { tools: [{ ...honest, inputSchema: [] }] },
    /report of its tools is not valid: tools/,
  ],
  [
    "a schema that is nested too deep",
    { tools: [{ ...honest, inputSchema: nested(100) }] },
    /report of its tools is not valid: tools/,
  ],
  [
    "a schema that refers out of itself",
    { tools: [{ ...honest, inputSchema: { $ref: "https://evil.example/" } }] },
    /peek/,
  ],
  [
    "hidden text",
    { tools: [{ ...honest, description: "Reads.\u{E0041}\u{E0042}" }] },
    /hidden|invisible|character/i,
  ],
];

test("a report of tools that a hostile module forges is refused", async () => {
  const forged = forgeries.map(([, members]) => forge({ type: "mounted", keepsState: false, ...members }));
  const cwd = await folderOf(Object.fromEntries(forged.map((text, at) => [`forged${at}.js`, text])));
  const run = behind("permission");
  const tools = forgeries.map((_, at) => ({ module: `./forged${at}.js`, run }));
  const problems = await problemsOf({ version: 1, tools }, { cwd });

  expect(problems).toHaveLength(forgeries.length);
  for (const [at, [what, , problem]] of forgeries.entries())
    expect(problems[at]?.message, what).toMatch(problem);
});

test("a forged report has no more effect than an honest one: its tool is called in the process alone", async () => {
  const cwd = await folderOf({ "forged.js": forge({ type: "mounted", keepsState: false, tools: [honest] }) });
  const plan = { version: 1, tools: [{ module: "./forged.js", run: behind("permission") }] };
  const host = await open(plan, { cwd });

  expect(host.tools()[0]).toMatchObject({ category: "side_effect", requiresConfirmation: true });
  expect((await host.call({ name: "peek", arguments: {} })).status).toBe("denied");
});

/** A schema of that many levels. */
function nested(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { in: schema } };
  return schema;
}
