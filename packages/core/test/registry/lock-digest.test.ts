import { expect, test } from "vitest";
import { readHostLinks } from "../../src/contract/host-chain.ts";
import { lockDigest } from "../../src/registry/lock-digest.ts";
import type { ToolInfo } from "../../src/index.ts";

const info = {
  name: "pay",
  owner: "@acme/pay",
  description: "Pays.",
  usage: "pay it",
  summary: "pay",
  dynamic: false,
  tags: ["b", "a"],
  inputSchema: {
    type: "object",
    required: ["to", "amount"],
    properties: { to: { enum: ["x", "y"] }, amount: { examples: [2, 1] } },
  },
} as unknown as ToolInfo;
const digestOf = (more: object) => lockDigest({ ...info, ...more });
const schema = (more: object) => ({ inputSchema: { ...info.inputSchema, ...more } });

test("a lock knows a tool by all that is seen of it", () => {
  for (const change of [
    { name: "pay2" },
    { description: "Pays, and more." },
    { usage: "x" },
    { summary: "x" },
    { tags: ["a"] },
    schema({ required: ["to"] }),
    schema({ properties: { ...(info.inputSchema["properties"] as object), amount: { examples: [1, 2] } } }),
  ])
    expect(digestOf(change)).not.toBe(lockDigest(info));
});

test("who mounts a tool, and the order of sets, change no digest", () => {
  for (const change of [
    { owner: "another" },
    { tags: ["a", "b"] },
    schema({ required: ["amount", "to"] }),
    schema({ properties: { to: { enum: ["y", "x"] }, amount: { examples: [2, 1] } } }),
  ])
    expect(digestOf(change)).toBe(lockDigest(info));
});

test("the texts of a dynamic tool may change, and nothing else of it", () => {
  const dynamic = digestOf({ dynamic: true });

  expect(digestOf({ dynamic: true, description: "x", usage: "y", summary: "z" })).toBe(dynamic);
  expect(digestOf({ dynamic: true, tags: [] })).not.toBe(dynamic);
  expect(dynamic).not.toBe(lockDigest(info));
});

test("a list of hosts that another program wrote has only links, at most 1,000, of short texts", () => {
  const long = "x".repeat(101);
  expect(
    readHostLinks([
      { host: "a", plan: "p", more: 1 },
      { host: "x".repeat(100) },
      { host: long },
      { host: "b", plan: long },
      { host: "c", plan: "" },
      { host: "" },
      { host: 1 },
      null,
      "a",
      ["a"],
    ]),
  ).toEqual([{ host: "a", plan: "p" }, { host: "x".repeat(100) }, { host: "b" }, { host: "c" }]);
  expect(readHostLinks({ host: "a" })).toEqual([]);
  expect(readHostLinks(Array.from({ length: 1_001 }, () => ({ host: "a" })))).toHaveLength(1_000);
});
