import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, data, type Coordinator } from "../../src/index.ts";
import {
  adaptModule,
  exportedTools,
  isDeclaredForeign,
  mayBeForeign,
  recogniseModule,
} from "../../src/registry/recognize-module.ts";

const mount = () => undefined;
const tool = { name: "pay", execute: () => ({ data: 1 }) };
const ours = defineTool({
  name: "pay",
  description: "Pays. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: () => data(1),
});
class Asynchronous {
  ExecuteAsync() {
    return 1;
  }
}
const Named = Object.assign(() => undefined, { ToolName: "pay" });

test.each([
  ["a function mount", { mount }, { kind: "mount", mount }],
  ["a mount of its default export", { default: { mount } }, { kind: "mount", mount }],
  ["a mount beside a default export", { mount, default: { mount: 1 } }, { kind: "mount", mount }],
  ["a tool", { pay: tool }, { kind: "tools", tools: [tool] }],
  ["a tool under two names", { pay: tool, alias: tool }, { kind: "tools", tools: [tool] }],
  [
    "a tool beside plain values",
    { pay: tool, version: 1, config: z.object({}), help: () => 1 },
    { kind: "tools" },
  ],
  ["a class with ExecuteAsync", { Asynchronous }, { kind: "tools", tools: [Asynchronous] }],
  ["a class with ToolName", { Named }, { kind: "tools", tools: [Named] }],
  [
    "a tool beside an object that may be one",
    { pay: tool, other: { run: 1 } },
    { kind: "foreign", tools: [tool] },
  ],
  [
    "a tool beside a function with members",
    { pay: tool, other: Object.assign(() => 1, { run: 1 }) },
    { kind: "foreign" },
  ],
  ["a default export that has no mount", { default: { mount: "no" } }, { kind: "foreign", tools: [] }],
  ["an object with a name and no execute", { pay: { name: "pay" } }, { kind: "foreign", tools: [] }],
  ["nothing", {}, { kind: "foreign", tools: [] }],
])("a module with %s is recognised", (_, exports, expected) => {
  expect(recogniseModule("m", exports)).toMatchObject(expected);
});

const invalid = (problem: string) =>
  expect.objectContaining({
    code: "MODULE_INVALID",
    message: `module "m" is not a toolmount module: ${problem}`,
  }) as Error;

test.each([
  [{ mount: "no" }, `its "mount" is not a function`],
  [{ mount, config: {} }, `its "config" is not a schema (of Zod, or another Standard Schema)`],
])("a module %j is refused before any of it runs", (exports, problem) => {
  expect(() => recogniseModule("m", exports)).toThrow(invalid(problem));
});

test("a plan names exports by their paths, and learns of one that is not there", () => {
  const exports = { tools: { pay: tool }, other: 1, mount };

  expect(recogniseModule("m", exports, ["tools.pay"])).toMatchObject({ kind: "tools", tools: [tool] });
  for (const path of [
    "tools.gone",
    "gone",
    "tools.pay.name.length",
    "toString",
    "tools.pay.execute.call.call",
  ])
    expect(() => recogniseModule("m", exports, [path])).toThrow(
      invalid(`it has no export "${path}"; it exports tools, other, mount`),
    );
  expect(() => recogniseModule("m", {}, ["x"])).toThrow(invalid('it has no export "x"; it exports nothing'));
});

test("the tools among the exports are listed once each", () => {
  expect(exportedTools({ a: tool, b: tool, c: 1, d: null, e: ours })).toEqual([tool, ours]);
});

test("a module says by its exports that it is one of Amplifier", () => {
  for (const name of ["__amplifier_module_type__", "amplifier_module_type", "on_session_ready"])
    expect(isDeclaredForeign({ [name]: "tool" })).toBe(true);
  expect(isDeclaredForeign({ mount })).toBe(false);
});

test.each([
  ["tools of another library", recogniseModule("m", { tool }), false, true],
  ["tools of defineTool", recogniseModule("m", { ours }), false, false],
  ["one tool of another library among ours", recogniseModule("m", { ours, tool }), false, true],
  ["tools of another library in a package of ours", recogniseModule("m", { tool }), true, false],
  ["a mount without a schema", recogniseModule("m", { mount }), false, true],
  ["a mount with a schema", recogniseModule("m", { mount, config: z.object({}) }), false, false],
  ["unknown exports in a package of ours", recogniseModule("m", { x: {} }), true, true],
])("%s may be written for another system", (_, module, hasManifest, expected) => {
  expect(mayBeForeign(module, hasManifest)).toBe(expected);
});

/** A coordinator with these adapters. */
const withAdapters = (...adapters: readonly object[]) =>
  ({ get: () => new Map(adapters.map((each, at) => [`${at}`, each])) }) as unknown as Coordinator;

test("the first adapter that knows a module makes one of ours of it, and learns what the plan chose", () => {
  const asked: unknown[] = [];
  const adapter = (answer: object | null) => ({
    adaptModule: (exports: object, options: object) => {
      asked.push(options);
      return answer;
    },
  });
  const given = recogniseModule("m", { thing: { run: 1 } }, ["thing"]);

  const adapted = adaptModule(
    "m",
    given,
    withAdapters({}, adapter(null), adapter({ pay: tool }), adapter({})),
  );

  expect(adapted).toMatchObject({ kind: "tools", tools: [tool] });
  expect(asked).toEqual([
    { name: "m", chosen: ["thing"] },
    { name: "m", chosen: ["thing"] },
  ]);
});

test("what needs no adapter is not given to one", () => {
  const never = withAdapters({ adaptModule: () => expect.unreachable() });
  const tools = recogniseModule("m", { tool });
  const elsewhere = { ...recogniseModule("m", { mount }), exports: {} } as typeof tools;

  expect(adaptModule("m", tools, never)).toBe(tools);
  expect(adaptModule("m", elsewhere, never)).toBe(elsewhere);
});

test("a module that no adapter knows is mounted where it can be, or says what it exports", () => {
  const none = withAdapters();
  const unknown = withAdapters({ adaptModule: () => null });
  const mixed = recogniseModule("m", { tool, other: { run: 1 } });
  const empty = recogniseModule("m", { run: {}, help: 1 });
  const amplifier = recogniseModule("m", { mount, on_session_ready: mount });
  const plain = recogniseModule("m", { mount });

  expect(adaptModule("m", mixed, none)).toEqual({ kind: "tools", tools: [tool] });
  expect(() => adaptModule("m", empty, none)).toThrow(
    'it exports neither a function "mount" nor a tool; it exports run, help; tools of other libraries need the adapters: npm install @toolmount/interop',
  );
  expect(() => adaptModule("m", empty, unknown)).toThrow(/it exports run, help$/);
  expect(adaptModule("m", plain, none)).toBe(plain);
  expect(adaptModule("m", amplifier, unknown)).toBe(amplifier);
  expect(() => adaptModule("m", amplifier, none)).toThrow(
    expect.objectContaining({
      code: "EXTENSION_MISSING",
      details: {
        what: 'module "m", which is an Amplifier module,',
        module: "@toolmount/interop",
        install: "npm install @toolmount/interop",
      },
    }),
  );
});
