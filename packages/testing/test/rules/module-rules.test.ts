import { ToolmountError } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DeadlineExceeded } from "../../src/trial/deadline.ts";
import { findingsOf, infoWith, moduleWith, toolWith } from "./subjects.ts";

type Module = Parameters<typeof moduleWith>[0];

const late = new DeadlineExceeded("it did not end within 50 ms");
const mount = () => {};

test.each<[string, Module, ...string[]]>([
  ["module_importable", {}],
  ["module_importable", { failure: { during: "mount", thrown: new Error("no") } }],
  ["module_importable", { failure: { during: "import", thrown: new Error("no") } }, "module: no"],
  [
    "module_importable",
    { failure: { during: "import", thrown: late } },
    "module: it did not end within 50 ms",
  ],
  ["mount_exists", { exports: { mount } }],
  ["mount_exists", { exports: {}, failure: { during: "import", thrown: 1 } }],
  ["mount_exists", { exports: { mount: 1 } }, "mount: mount is not a function"],
  ["mount_exists", { exports: {} }, "mount: there is neither a mount nor a tool; it exports nothing"],
  [
    "mount_exists",
    { exports: { default: mount, "module.exports": mount } },
    "mount: there is neither a mount nor a tool; it exports default; default exports are ignored",
  ],
  [
    "mount_exists",
    { exports: Object.fromEntries("abcdefghijk".split("").map((name) => [name, 1])) },
    "mount: there is neither a mount nor a tool; it exports a, b, c, d, e, f, g, h, i, j",
  ],
  ["protocol_compliance", { registered: true }],
  ["protocol_compliance", { registered: false, exports: {} }],
  ["protocol_compliance", { registered: false }, "mount: it mounted nothing and returned no tool"],
  ["protocol_compliance", { registered: false, tools: [toolWith()] }],
  ["protocol_compliance", { returned: mount }, "warning mount: it returned a cleanup and mounted nothing"],
  ["protocol_compliance", { returned: mount, tools: [toolWith()] }],
  [
    "protocol_compliance",
    { failure: { during: "mount", thrown: late } },
    "mount: it did not end within 50 ms",
  ],
  ["protocol_compliance", { failure: { during: "mount", thrown: new Error("no") } }, "mount: it throws: no"],
  [
    "protocol_compliance",
    { failure: { during: "mount", thrown: new ToolmountError("TOOL_NOT_FOUND", { tool: "a" }) } },
    expect.stringMatching(/^mount: it throws: TOOL_NOT_FOUND: /),
  ],
  [
    "protocol_compliance",
    { failure: { during: "mount", thrown: "x".repeat(400) } },
    `mount: it throws: ${"x".repeat(300)}`,
  ],
  [
    "mount_no_network",
    {
      sideEffects: [
        { kind: "network", what: "opened a server" },
        { kind: "process", what: "started a process" },
      ],
    },
    "mount: it opened a server",
  ],
  [
    "mount_no_process",
    {
      sideEffects: [
        { kind: "network", what: "opened a server" },
        { kind: "process", what: "started a process" },
      ],
    },
    "mount: it started a process",
  ],
  [
    "unmount_leaves_nothing",
    { leaks: ["a timer", "a server"] },
    "mount: it leaves a timer behind",
    "mount: it leaves a server behind",
  ],
  ["unmount_leaves_nothing", { leaks: ["a timer"], failure: { during: "mount", thrown: 1 } }],
  [
    "cleanup_succeeds",
    { cleanupFailures: [new Error("no"), "text"] },
    "cleanup: it throws: no",
    "cleanup: it throws: text",
  ],
  [
    "abort_in_flight",
    { ignoredCancel: ["a", "b"] },
    "tools.a.execute: it ran on after it was cancelled",
    "tools.b.execute: it ran on after it was cancelled",
  ],
])("%s of a module with %j", async (rule, members, ...problems) => {
  expect(await findingsOf(rule, moduleWith(members))).toEqual(problems);
});

test("definition_stable: what differs in another mount is found, but not its owner", async () => {
  const [one, other] = [infoWith({ name: "one" }), infoWith({ name: "other" })];
  const tools = [one, other].map((info) => toolWith({}, { info, name: info.name }));
  const find = (again: readonly object[]) =>
    findingsOf(
      "definition_stable",
      moduleWith({ tools, repeats: [{ from: "when it is mounted again", tools: again as never }] }),
    );

  expect(await find([other, { ...one, owner: "elsewhere" }])).toEqual([]);
  expect(await find([one])).toEqual(["tools.other: its definition differs when it is mounted again"]);
  expect(await find([{ ...one, description: "x" }, other])).toEqual([
    "tools.one: its definition differs when it is mounted again",
  ]);
  const dynamic = toolWith({ name: "free", dynamic: true });
  const refused = toolWith({}, { info: null, name: "no" });
  const repeats = [{ from: "in a fresh process", tools: [] }];
  expect(await findingsOf("definition_stable", moduleWith({ tools: [dynamic, refused], repeats }))).toEqual(
    [],
  );
});

describe("name_near", () => {
  test.each([
    ["read_note", "read_note"],
    ["read_note", "write_note"],
    ["read_note", "read_notes_all"],
    ["ab", "ac"],
    ["a", "b"],
    ["abc_d", "abc_ef"],
  ])("%s and %s differ enough", async (one, other) => {
    const tools = [toolWith({ name: one }), toolWith({ name: other })];
    expect(await findingsOf("name_near", moduleWith({ tools }))).toEqual([]);
  });

  test.each([
    ["read_note", "read_notes"],
    ["read_notes", "read_note"],
    ["read_note", "read_mote"],
    ["read_note", "readnote"],
    ["read_note", "note.read"],
    ["Read-Note", "read_note"],
    ["abc", "abd"],
    ["xbc", "abc"],
    ["note", "nte"],
  ])("%s and %s are almost the same", async (one, other) => {
    const tools = [toolWith({ name: "far_away" }), toolWith({ name: one }), toolWith({ name: other })];
    expect(await findingsOf("name_near", moduleWith({ tools }))).toEqual([
      `tools.${other}: its name is almost "${one}"`,
    ]);
  });
});

test("manifest_true: the manifest has the tools and the config of the module", async () => {
  const config = z.strictObject({ root: z.string() });
  const printed = config["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const tools = [
    toolWith({ name: "one" }),
    toolWith({ name: "two" }),
    toolWith({}, { info: null, name: "refused" }),
  ];
  const find = (manifest: object | null, exports: Record<string, unknown> = { mount, config }) =>
    findingsOf("manifest_true", moduleWith({ tools, exports, manifest: manifest as never }));

  expect(await find(null)).toEqual([]);
  expect(await find({})).toEqual([]);
  expect(await find({ tools: "none" })).toEqual([]);
  expect(await find({ tools: [{ name: "one" }, { name: "two", summary: "x" }], config: printed })).toEqual(
    [],
  );
  expect(
    await find({ tools: [{ name: "one", description: "Other." }, { name: "three" }], config: {} }),
  ).toEqual([
    "manifest.config: it differs from the module's config",
    "manifest.tools.one.description: it differs from the mounted tool",
    "manifest.tools.two: the tool is mounted, but missing in the manifest",
    "manifest.tools.three: it is not mounted",
  ]);
  expect(await find({ config: {} }, { mount })).toEqual([]);
  expect(await find({ config: {} }, { mount, config: {} })).toEqual([]);
});
