import type { Tool } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { config } from "../src/mount/config.ts";
import { mountedName, toDefinition } from "../src/mount/tool-definition.ts";
import { isExposed, ownUri, servedUri, uiCapabilities, withServedLinks } from "../src/mount/ui.ts";
import { withShownTexts } from "../src/wire/foreign-texts.ts";
import { offeredAfter } from "../src/wire/kept-definitions.ts";

const settingsOf = (more: object = {}) => config.parse({ name: "files", command: "files-server", ...more });
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});

describe("the name under which a tool of a server is mounted", () => {
  test.each([
    ["read_file", [], "read_file"],
    ["Read-File.2", [], "Read-File.2"],
    ["read file/ü", [], "read_file__"],
    ["", [], "tool"],
    ["a".repeat(96), [], "a".repeat(96)],
    ["a".repeat(97), [], `${"a".repeat(89)}_2a2c60`],
    ["read_file", ["read_file"], "read_file_c9f812"],
    ["constructor", [], "constructor_e3c170"],
  ])("of %j beside %j is %j", (name, taken, expected) => {
    expect(mountedName(name, new Set(taken))).toBe(expected);
  });
});

describe("what a host says of a server's tool", () => {
  const facts = (name: string, more: Partial<Tool> = {}, settings: object = {}) => {
    const definition = toDefinition(tool(name, more), name, settingsOf(settings), async () => ({
      content: [],
    }));
    const { execute: _, schema: __, ...rest } = definition;
    return rest;
  };
  const base = { name: "look", timeout: 60_000, maxTimeout: 1_800_000, origin: "mcp" };

  test.each<[string, Partial<Tool>, string]>([
    ["its description", { description: "Looks.", title: "Look" }, "Looks."],
    ["its title where it is described by nothing", { description: " ", title: "Look" }, "Look"],
    ["the title of its hints", { annotations: { title: "Look at it" } }, "Look at it"],
    ["its name and its server", {}, "look of the MCP server files"],
  ])("is %s", (_, more, description) => {
    expect(facts("look", more)).toMatchObject({ ...base, description });
  });

  test("is its output schema, and the limits of the plan", () => {
    const outputSchema = { type: "object" as const };
    expect(facts("look", { outputSchema }, { timeoutMs: 5, maxTimeoutMs: 6 })).toEqual({
      ...base,
      description: "look of the MCP server files",
      outputSchema,
      timeout: 5,
      maxTimeout: 6,
    });
  });

  const reads = { category: "read", consequenceLevel: "low", idempotent: true };
  test.each<[string, object, object]>([
    ["the server's hints", {}, reads],
    ["nothing, where its hints are ignored", { hints: "ignore" }, {}],
    [
      "what the plan says, member by member",
      { classify: { "lo*": { consequence: "high", confirm: true } } },
      { ...reads, consequenceLevel: "high", requiresConfirmation: true },
    ],
    [
      "the first rule that fits",
      {
        classify: {
          other: { category: "delete" },
          look: { category: "write", idempotent: false },
          "*": { confirm: true },
        },
      },
      { ...reads, category: "write", idempotent: false },
    ],
  ])("follows %s", (_, settings, expected) => {
    const { description: __, ...rest } = facts("look", { annotations: { readOnlyHint: true } }, settings);
    expect(rest).toEqual({ ...base, ...expected });
  });
});

describe("addresses of user interfaces", () => {
  const uri = "ui://chart/app.html";
  test.each([
    [uri, "a_", "ui://a_/chart/app.html"],
    [uri, undefined, uri],
    ["file:///a", "a_", "file:///a"],
  ])("%s of a server with the prefix %s is served as %s, and found again", (own, prefix, served) => {
    expect(servedUri(own, { expose: [], prefix })).toBe(served);
    expect(ownUri(served, { expose: [], prefix })).toBe(own);
  });

  test("one of another prefix is not taken for an own one", () => {
    expect(ownUri("ui://b_/chart", { expose: [], prefix: "a_" })).toBe("ui://b_/chart");
  });

  test.each([
    [[], [false, false], {}],
    [
      ["ui"],
      [true, false],
      { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } },
    ],
    [
      ["resources"],
      [true, true],
      { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } },
    ],
    [["prompts"], [false, false], {}],
  ])("with expose %j, an interface and a file are exposed: %j", (expose, expected, capabilities) => {
    const settings = settingsOf({ expose });
    expect([isExposed(uri, settings), isExposed("file:///a", settings)]).toEqual(expected);
    expect(uiCapabilities(settings)).toEqual(capabilities);
  });

  test("links of a result have the served addresses", () => {
    const content = [
      { type: "text" as const, text: uri },
      { type: "resource_link" as const, uri, name: "a" },
      { type: "resource" as const, resource: { uri, text: "x" } },
    ];
    const served = "ui://a_/chart/app.html";
    expect(withServedLinks({ content, isError: false }, { expose: [], prefix: "a_" })).toEqual({
      isError: false,
      content: [
        content[0],
        { ...content[1], uri: served },
        { type: "resource", resource: { uri: served, text: "x" } },
      ],
    });
    const result = { content };
    expect(withServedLinks(result, { expose: [], prefix: undefined })).toBe(result);
  });
});

describe("characters that people cannot see", () => {
  const refuse = { hiddenText: "refuse" } as const;
  test.each([
    ["a\u202eb", "a\\u{202e}b"],
    [
      ["a", "b\u202e"],
      ["a", "b\\u{202e}"],
    ],
    [{ "k\u202e": 1 }, { "k\\u{202e}": 1 }],
    [
      { k: [{ n: "\u202e" }], z: 1, n: null },
      { k: [{ n: "\\u{202e}" }], z: 1, n: null },
    ],
  ])("of %j are written as code points", (value, shown) => {
    expect(withShownTexts(value, refuse)).toEqual(shown);
    expect(withShownTexts(value, { hiddenText: "allow" })).toBe(value);
  });

  test("a value without any is the same value, and one below a hundred levels is not looked at", () => {
    const plain = { a: ["b", 1, null] };
    expect(withShownTexts(plain, refuse)).toBe(plain);
    const nested = (levels: number) => {
      let value: unknown = "\u202e";
      for (let at = 0; at < levels; at++) value = [value];
      return value;
    };
    const deep = nested(101);
    expect(withShownTexts(deep, refuse)).toBe(deep);
    expect(JSON.stringify(withShownTexts(nested(99), refuse))).toContain("u{202e}");
  });
});

test("definitions of tools that are offered follow what the module mounts now", () => {
  const [a, b, c] = [tool("a"), tool("b"), tool("c")];
  const info = (name: string, declaredName: string) => ({ name, declaredName }) as never;
  const kept = (declaredName: string, definition: Tool) => ({ declaredName, definition });
  const first = offeredAfter(
    new Map(),
    new Set(["other"]),
    [info("x_a", "a"), info("other", "b"), info("gone", "gone")],
    new Map([
      ["a", a],
      ["b", b],
    ]),
  );
  expect([...first]).toEqual([["x_a", kept("a", a)]]);

  const changed = tool("a", { description: "new" });
  const offered = new Map([...first, ["x_c", kept("c", c)], ["x_d", kept("d", c)]]);
  const next = offeredAfter(
    offered,
    new Set(["x_a", "x_c"]),
    [info("x_b", "b")],
    new Map([
      ["a", changed],
      ["b", b],
      ["c", c],
      ["d", c],
    ]),
  );
  expect([...next]).toEqual([
    ["x_c", kept("c", c)],
    ["x_b", kept("b", b)],
  ]);
});
