import type { ToolInfo } from "@toolmount/core";
import { createToolIndex } from "@toolmount/tool-discovery";
import { expect, test } from "vitest";

/** A tool whose members say nothing, but for those that are given. */
function toolWith(members: Partial<ToolInfo>): ToolInfo {
  const { name = "one" } = members;
  const silent = {
    declaredName: name,
    description: "",
    aliases: [],
    tags: [],
    inputSchema: {},
    owner: "plan",
  };
  return { ...silent, ...members, name } as unknown as ToolInfo;
}

/** Whether a word finds a tool with these members, beside one that says something else. */
function finds(word: string, members: Partial<ToolInfo>): boolean {
  const index = createToolIndex([toolWith({ name: "other" }), toolWith(members)]);
  return index.search(word, 5).some(({ name }) => name === (members.name ?? "one"));
}

const nested = (levels: number): object =>
  levels === 0 ? { description: "kiwi" } : { properties: { a1: nested(levels - 1) } };

test.each<[string, Partial<ToolInfo>]>([
  ["its name", { name: "pick_kiwi" }],
  ["an alias", { aliases: ["b1", "kiwi"] }],
  ["its description", { description: "Picks a kiwi." }],
  ["its summary", { summary: "Picks a kiwi.", description: "Picks." }],
  ["a tag", { tags: ["b1", "kiwi"] }],
  ["its owner", { owner: "kiwi" }],
  ["the prefix of its name", { name: "kiwi_pick", declaredName: "pick" }],
  ["its guidance", { usage: "Use it for a kiwi." }],
  ["the name of an argument", { inputSchema: { properties: { kiwi: {} } } }],
  ["the description of an argument", { inputSchema: { properties: { a1: { description: "A kiwi" } } } }],
  ["a value of an argument", { inputSchema: { properties: { a1: { enum: ["lemon", "kiwi"] } } } }],
  ["an argument inside of another", { inputSchema: { properties: { a1: { properties: { kiwi: {} } } } } }],
  ["items of an argument", { inputSchema: { properties: { a1: { items: { enum: ["kiwi"] } } } } }],
  [
    "one of several schemas",
    { inputSchema: { properties: { a1: { anyOf: [{}, { description: "kiwi" }] } } } },
  ],
  ["an alternative", { inputSchema: { oneOf: [{ properties: { b1: {} } }, { properties: { kiwi: {} } }] } }],
  ["an argument of the fourth level", { inputSchema: nested(4) as never }],
])("a tool is found by %s", (_title, members) => {
  expect(finds("kiwi", members)).toBe(true);
});

test.each<[string, Partial<ToolInfo>]>([
  ["the description of its whole schema", { inputSchema: { description: "kiwi" } }],
  ["an argument of the fifth level", { inputSchema: nested(5) as never }],
  ["a value that is no text", { inputSchema: { properties: { a1: { enum: [["kiwi"]] } } } }],
])("a tool is not found by %s", (_title, members) => {
  expect(finds("kiwi", members)).toBe(false);
});

test("words of different places stay apart", () => {
  for (const word of ["kiwilemon", "lemonkiwi"])
    for (const members of [
      { aliases: ["kiwi", "lemon"], name: "kiwi" },
      { tags: ["kiwi", "lemon"] },
      { owner: "kiwi", name: "lemon_a1", declaredName: "a1" },
      { inputSchema: { properties: { kiwi: { enum: ["lemon"] }, lemon: {} } } },
    ])
      expect(finds(word, members)).toBe(false);
});

test("a name counts most, then the owner, then what is said, and guidance and arguments least", () => {
  const tools = [
    toolWith({ name: "a1", usage: "kiwi" }),
    toolWith({ name: "b1", summary: "b2", description: "kiwi" }),
    toolWith({ name: "c1", owner: "kiwi" }),
    toolWith({ name: "kiwi" }),
    toolWith({ name: "d1", inputSchema: { properties: { kiwi: {} } } }),
    toolWith({ name: "e1", tags: ["kiwi"] }),
  ];

  expect(
    createToolIndex(tools)
      .search("kiwi", 9)
      .map(({ name }) => name),
  ).toEqual(["kiwi", "c1", "e1", "b1", "a1", "d1"]);
});

test("of a query for several things, each part has its best tool among the first, and none twice", () => {
  const names = ["find_train", "find_bus", "book_hotel", "book_flat", "walk_dog"];
  const index = createToolIndex(names.map((name) => toolWith({ name, owner: name })));
  const search = (limit: number) =>
    index.search("find a train, then book a hotel", limit).map(({ name }) => name);

  expect(search(9)).toEqual(["find_train", "book_hotel", "find_bus", "book_flat"]);
  expect(search(2)).toEqual(["find_train", "book_hotel"]);
  expect(search(1)).toEqual(["find_train"]);
  expect(search(0)).toEqual([]);
  expect(search(-1)).toEqual([]);
});

test("of a query, the first 500 characters are looked at", () => {
  const index = createToolIndex([toolWith({ name: "kiwi" })]);

  expect(index.search(`${" ".repeat(496)}kiwi`, 5)).toHaveLength(1);
  expect(index.search(`${" ".repeat(497)}kiwi`, 5)).toHaveLength(0);
});

test("a tool whose name does not end with the declared one has no prefix", () => {
  expect(finds("kiwi", { name: "kiwi_lemon", declaredName: "pick" })).toBe(true);
  expect(finds("lemon", { name: "kiwi__-.pick", declaredName: "pick" })).toBe(false);
});
