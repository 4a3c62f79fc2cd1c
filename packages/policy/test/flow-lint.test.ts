import type { ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { config, lint } from "../src/index.ts";

const send = {
  name: "send",
  owner: "mail",
  tags: ["net"],
  category: "side_effect",
  inputSchema: { properties: { to: {}, body: {} } },
};
const outputSchema = {
  type: "array",
  items: { type: "object", properties: { sender: { properties: { mail: {} } }, subject: {} } },
};
const look = { name: "look", owner: "box", tags: [], category: "read", inputSchema: {}, outputSchema };
const tools = [send, look] as unknown as ToolInfo[];
const dead = "this line can never match: the plan offers no tool that fits it";
const mail = { match: { tool: "send" } };
const argument = (name: string) => `no tool of this line has the argument "${name}"`;

test.each<[string, object, readonly object[]]>([
  ["no flows at all", {}, []],
  [
    "arguments that the tool has",
    { into: [{ ...mail, control: ["to"], content: ["body"], audience: ["to"] }] },
    [],
  ],
  ["an audience that is the user", { into: [{ ...mail, audience: "user" }] }, []],
  [
    "arguments that the tool lacks",
    { into: [{ ...mail, control: ["to", "x"], content: ["bdy"], audience: ["tto"] }] },
    [
      { path: ["flows", "into", 0, "control", 1], problem: argument("x") },
      { path: ["flows", "into", 0, "content", 0], problem: `${argument("bdy")}; did you mean "body"?` },
      { path: ["flows", "into", 0, "audience", 0], problem: `${argument("tto")}; did you mean "to"?` },
    ],
  ],
  [
    "a tool without arguments",
    { into: [{ match: { tool: "look" }, control: ["to"] }] },
    [{ path: ["flows", "into", 0, "control", 0], problem: argument("to") }],
  ],
  [
    "tools that the plan lacks",
    { into: [mail, { match: { tag: "file" } }, { match: { server: "box", category: "write" } }] },
    [
      { path: ["flows", "into", 1, "match"], problem: dead },
      { path: ["flows", "into", 2, "match"], problem: dead },
    ],
  ],
  [
    "results of tools that the plan lacks",
    {
      results: [
        { match: { tool: "look", server: "mail" }, trust: "trusted" },
        { match: { server: "gone" }, trust: "_meta.ifc" },
      ],
    },
    [
      { path: ["flows", "results", 0, "match"], problem: dead },
      { path: ["flows", "results", 1, "match"], problem: dead },
    ],
  ],
  [
    "fields that the results have, at any depth",
    {
      results: [
        {
          match: { tool: "look" },
          fields: { "*.sender": "contact", "*.sender.mail": "contact", "*.subject.*": "contact" },
        },
      ],
    },
    [],
  ],
  [
    "fields that the results lack",
    { results: [{ match: { tool: "look" }, fields: { "*.sendr": "contact", "*.q9": "contact" } }] },
    [
      {
        path: ["flows", "results", 0, "fields", "*.sendr"],
        problem: 'no result of these tools has the field "sendr"; did you mean "sender"?',
      },
      {
        path: ["flows", "results", 0, "fields", "*.q9"],
        problem: 'no result of these tools has the field "q9"',
      },
    ],
  ],
  ["a glob without a name", { results: [{ match: { tool: "look" }, fields: { "*": "contact" } }] }, []],
  [
    "the keywords of a schema, which are no fields",
    { results: [{ match: { tool: "look" }, fields: { "*.items": "contact" } }] },
    [
      {
        path: ["flows", "results", 0, "fields", "*.items"],
        problem: 'no result of these tools has the field "items"',
      },
    ],
  ],
  [
    "fields of a tool that does not say what it returns",
    { results: [{ match: {}, fields: { "*.x": "contact" } }] },
    [],
  ],
  ["labels of a server", { results: [{ match: { tool: "look" }, trust: "_meta.ifc" }] }, []],
  ["a line without fields", { results: [{ match: { tool: "look" }, trust: "trusted" }] }, []],
  [
    "sources that nothing has",
    { into: [{ ...mail, from: ["user", "contact", "identity", "lastPart"] }] },
    [
      { path: ["flows", "into", 0, "from", 1], problem: "nothing is contact: no line of results says it" },
      {
        path: ["flows", "into", 0, "from", 2],
        problem: "nothing is identity: no line of results says it, and identity is empty",
      },
    ],
  ],
  [
    "sources that a line, a field or the plan has",
    {
      identity: ["me"],
      results: [
        { match: {}, trust: "trusted" },
        { match: {}, trust: "_meta.ifc" },
        { match: {}, fields: { "*.a": "contact" } },
      ],
      into: [{ ...mail, from: ["user", "trusted", "contact", "identity"] }],
    },
    [],
  ],
  [
    "five sources that are not the default",
    { into: [{ ...mail, from: ["user", "lastPart", "whole", "contact", "shownLink"] }] },
    [{ path: ["flows", "into", 0, "from", 3], problem: "nothing is contact: no line of results says it" }],
  ],
  [
    "every source, which is the default",
    { into: [{ ...mail, from: ["user", "identity", "trusted", "contact", "structured"] }] },
    [],
  ],
  [
    "one source that is not the user",
    { into: [{ ...mail, from: ["structured"] }] },
    [{ path: ["flows", "into", 0, "from", 0], problem: "nothing is structured: no line of results says it" }],
  ],
])("of %s a check reports what can have no effect", (_title, flows, found) => {
  expect(lint(config.parse({ flows }), { tools })).toEqual(found);
});

test("a plan without flows has nothing to report", () => {
  expect(lint(config.parse({}), { tools })).toEqual([]);
});
