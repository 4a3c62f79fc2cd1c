import type { ToolInfo } from "@toolmount/core";
import { changeSessionMode } from "@toolmount/core/sessions";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { createToolIndex } from "../src/index.ts";
import { mounted, toolNamed } from "./mounted.ts";

test.each([
  { query: "rename a file", first: "move_file" },
  { query: "moveFile", first: "move_file" },
  { query: "moving folders", first: "move_file" },
  { query: "remove", first: "delete_file" },
  { query: "how warm is it in a city", first: "tell_weather" },
  { query: "recipient", first: "send_mail" },
  { query: "songs", first: "play_music" },
  { query: "musik", first: "play_music" },
])("$query finds $first first", async ({ query, first }) => {
  const { find } = await mounted();

  expect((await find(query))[0]).toBe(first);
});

test("words for the same thing, values of arguments and kinds of files find a tool; news is not new", async () => {
  const { host, find } = await mounted();
  const choice = { schema: z.strictObject({ unit: z.enum(["celsius", "fahrenheit"]) }) };
  for (const [name, description, fields] of [
    ["add_slide", "Adds a slide to a presentation."],
    ["add_paragraph", "Adds a paragraph to a Word document."],
    ["bbc_news", "Gets what the BBC reports."],
    ["read_sensor", "Reads a sensor.", choice],
  ] as const)
    host.coordinator.mount("tools", toolNamed(name, description, "value", fields));

  for (const [query, first] of [
    ["make a ppt", "add_slide"],
    ["write it to /home/ana/out/minutes.docx", "add_paragraph"],
    ["put my summary into minutes.docx", "add_paragraph"],
    ["get news about Rome", "bbc_news"],
    ["in fahrenheit", "read_sensor"],
  ] as const)
    expect((await find(query))[0], query).toBe(first);
});

test("tools that are described in Chinese are found in English, and others in Chinese", async () => {
  const { host, find } = await mounted();
  host.coordinator.mount("tools", toolNamed("get_weread_rank", "获取微信读书排行榜，包含热门小说、畅销书籍"));

  expect((await find("which novels are popular"))[0]).toBe("get_weread_rank");
  expect((await find("删除一个文件"))[0]).toBe("delete_file");
});

test("the prefix of a plan does not make a tool's name, and still finds the tool", () => {
  const described = { description: "It does it.", aliases: [], tags: [], inputSchema: {} };
  const index = createToolIndex([
    { ...described, name: "photo_list", declaredName: "list", owner: "photo" },
    { ...described, name: "disk_photo_frame", declaredName: "photo_frame", owner: "disk" },
    { ...described, name: "fs_chmod", declaredName: "chmod", owner: "files" },
  ] as unknown as ToolInfo[]);
  const find = (query: string) => index.search(query, 1).map(({ name }) => name);

  expect(find("photo")).toEqual(["disk_photo_frame"]);
  expect(find("fs")).toEqual(["fs_chmod"]);
  expect(find("files")).toEqual(["fs_chmod"]);
});

test("a query for several things gets the best tool for each", async () => {
  const { find } = await mounted();

  expect((await find("rename my file, then mail it to a recipient", 3)).toSorted()).toEqual(
    expect.arrayContaining(["move_file", "send_mail"]),
  );
});

test("each tool is reported by name and in a line, with whether it is active", async () => {
  const { call } = await mounted();
  await call("activate_tools", { tool_ids: ["delete_file"] });

  expect((await call("tool_search", { query: "delete", limit: 1 })).data).toEqual({
    query: "delete",
    count: 1,
    tools: [{ name: "delete_file", summary: "Deletes a file for good.", active: true }],
  });
});

test("no more are reported than were asked for", async () => {
  const { find } = await mounted({ max_results: 2 });

  expect(await find("file message songs temperature")).toHaveLength(2);
  expect(await find("file message songs temperature", 3)).toHaveLength(3);
});

test("an index that is asked for no tool returns none", async () => {
  const { host } = await mounted();

  expect(createToolIndex(host.tools()).search("move a file", 0)).toEqual([]);
});

test("a word that nothing is about finds nothing", async () => {
  const { call } = await mounted();

  expect((await call("tool_search", { query: "quaternion" })).data).toMatchObject({ count: 0, tools: [] });
  expect((await call("tool_search", { query: "the of !!" })).data).toMatchObject({ count: 0, tools: [] });
});

test("a tool that is mounted later is found, one that is gone is not", async () => {
  const { host, find } = await mounted();
  const undo = host.coordinator.mount("tools", toolNamed("brew_coffee"));

  expect(await find("coffee")).toEqual(["brew_coffee"]);
  undo();
  expect(await find("coffee")).toEqual([]);
});

test("only tools of the session's mode are found", async () => {
  const { host, find } = await mounted({}, [
    { key: "general", isDefault: true, tools: ["*", "!delete_*"] },
    { key: "clean", tools: ["delete_file"] },
  ]);
  host.coordinator.mount(
    "tools",
    toolNamed("delete_branch", "Deletes a branch.", "branch", { modes: ["clean"] }),
  );
  changeSessionMode(host.session("s-2").state, "clean");

  expect(await find("delete")).toEqual([]);
  expect(await find("delete", 5, "s-2")).toEqual(["delete_file"]);
});

test("a deprecated tool is not found", async () => {
  const { host, find } = await mounted();
  host.coordinator.mount("tools", toolNamed("brew_coffee", "Brews coffee.", "cup", { status: "deprecated" }));

  expect(await find("coffee")).toEqual([]);
});

test.each([
  {},
  { query: "" },
  { query: " " },
  { query: 1 },
  { query: "x".repeat(501) },
  { query: "x", limit: 0 },
])("%o is refused", async (params) => {
  const { call } = await mounted();

  expect(await call("tool_search", params)).toMatchObject({ code: "INVALID_ARGUMENTS" });
});

test("whatever is asked for, the answer is a list of tools that there are", async () => {
  const { call, host } = await mounted();
  const names = new Set(host.tools().map(({ name }) => name));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 500 }), async (query) => {
      const { code, data } = await call("tool_search", { query });
      const { tools } = (data ?? { tools: [] }) as { tools: { name: string }[] };

      expect([undefined, "INVALID_ARGUMENTS"]).toContain(code);
      expect(tools.every(({ name }) => names.has(name))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("of the tools that were found, only the active ones say so", async () => {
  const { call } = await mounted();
  await call("activate_tools", { tool_ids: ["delete_file"] });

  expect((await call("tool_search", { query: "file" })).data).toEqual({
    query: "file",
    count: 2,
    tools: [
      { name: "delete_file", summary: "Deletes a file for good.", active: true },
      { name: "move_file", summary: "Moves or renames a file or folder." },
    ],
  });
});

test("the tools that are always offered are not found", async () => {
  const { find } = await mounted();

  expect(await find("activate tools that are available")).not.toContain("activate_tools");
});

test.each([
  [{}, "query is required"],
  [{ query: " " }, "query is required"],
  [{ query: 1 }, "query must be a string, not a number"],
])("%j is refused: %s", async (params, error) => {
  const { call } = await mounted();

  expect(await call("tool_search", params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
});
