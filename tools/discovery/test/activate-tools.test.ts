import { createActivateTools, createToolSearch } from "@toolmount/tool-discovery";
import { expect, test } from "vitest";
import { mounted, toolNamed } from "./mounted.ts";

test("APTIX-N14: what is only available is a line, and is offered in full from the next request on when it is activated", async () => {
  const { host, call, offered } = await mounted();
  const session = host.session("s-1");

  expect(await offered()).toEqual(["activate_tools", "tool_search"]);
  expect((await session.offer()).guidance).toContain("- move_file: Moves or renames a file or folder.\n");
  expect((await call("activate_tools", { tool_ids: ["move_file"] })).data).toEqual({
    result: "ok",
    activated: ["move_file"],
    already_active: [],
    unknown: [],
  });
  expect(await offered()).toEqual(["activate_tools", "move_file", "tool_search"]);
  expect((await session.offer()).guidance).not.toContain("- move_file:");
});

test("APTIX-N14: activate_tools is there in every mode, and what it activates is not offered outside of its own", async () => {
  const { host, call, offered } = await mounted({}, [
    { key: "general", isDefault: true, tools: ["send_mail"] },
  ]);
  await call("activate_tools", { tool_ids: ["send_mail", "move_file"] });

  expect(host.tools().map(({ name }) => name)).toContain("move_file");
  expect(await offered()).toEqual(["activate_tools", "send_mail", "tool_search"]);
});

test("the answer is JSON, and reports what was active and what is no tool", async () => {
  const { call } = await mounted();
  await call("activate_tools", { tool_ids: ["move_file"] });

  expect(
    (await call("activate_tools", { tool_ids: ["move_file", "send_mail", "send_mail", "fly"] })).data,
  ).toEqual({
    result: "ok",
    activated: ["send_mail"],
    already_active: ["move_file"],
    unknown: ["fly"],
  });
});

test("a session's tools are its own, and are kept with it", async () => {
  const one = await mounted();
  await one.call("activate_tools", { tool_ids: ["move_file"] });
  const other = await mounted();
  other.host.session("s-1").restore(one.host.session("s-1").snapshot());

  expect(await one.offered("s-2")).not.toContain("move_file");
  expect(await other.offered("s-1")).toContain("move_file");
});

test("an alias activates the tool that it means", async () => {
  const { host, call } = await mounted();
  host.coordinator.mount("tools", toolNamed("brew_coffee"), { name: "coffee" });

  expect((await call("activate_tools", { tool_ids: ["coffee"] })).data).toMatchObject({
    activated: ["brew_coffee"],
  });
});

test.each([
  { tool_ids: ["move_fil"], error: "There is no tool named 'move_fil'. Did you mean move_file?" },
  { tool_ids: ["fly", "swim"], error: "There is no tool named 'fly', 'swim'. Use tool_search to find one." },
])("$tool_ids answers $error", async ({ tool_ids, error }) => {
  const { call } = await mounted();

  expect(await call("activate_tools", { tool_ids })).toMatchObject({ error, code: "UNKNOWN_TOOLS" });
});

test.each([
  { params: {}, error: "tool_ids is required: an array of names" },
  { params: { tool_ids: [] }, error: "tool_ids is required: an array of names" },
  { params: { tool_ids: "move_file" }, error: expect.stringContaining("tool_ids") },
  { params: { tool_ids: [1] }, error: expect.stringContaining("tool_ids") },
])("$params is refused", async ({ params, error }) => {
  const { call } = await mounted();

  expect(await call("activate_tools", params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
});

test("a call of no session has nowhere to activate", async () => {
  const { host } = await mounted();
  const { result } = await host.call({ name: "activate_tools", arguments: { tool_ids: ["move_file"] } });

  expect(result).toMatchObject({ code: "SESSION_MISSING" });
});

test("AMP-28: both tools can be made and called without a host", async () => {
  expect((await createToolSearch().execute({ query: "x" })).data).toMatchObject({ count: 0 });
  expect((await createActivateTools().execute({ tool_ids: ["x"] })).code).toBe("SESSION_MISSING");
});

test("an activation is reported with the tools and the call", async () => {
  const { host, call } = await mounted();
  const seen: unknown[] = [];
  host.coordinator.hooks.observe("tools:activated", (_, data) => void seen.push(data));
  await call("activate_tools", { tool_ids: ["move_file"] });
  await call("activate_tools", { tool_ids: ["move_file"] });
  await host.close();

  expect(seen).toMatchObject([{ tools: ["move_file"], tool_name: "activate_tools", session_id: "s-1" }]);
});

test("a plan says what every session has in full", async () => {
  const { offered } = await mounted({ active: ["*_file", "!delete_*"] });

  expect(await offered()).toEqual(["activate_tools", "move_file", "tool_search"]);
});

test("with all disclosed, every tool is offered in full", async () => {
  const { offered } = await mounted({ disclosure: "all" });

  expect(await offered()).toHaveLength(7);
});

test("an unknown tool is answered with at most five that are like it, in one sentence of at most 500 characters", async () => {
  const { host, call } = await mounted();
  for (const name of ["page_one", "page_two", "page_six", "page_ten", "page_too", "page_tea"])
    host.coordinator.mount("tools", toolNamed(name));
  const { details } = (await call("activate_tools", {
    tool_ids: ["page_ona", "page_twa", "page_sia", "page_tea1", "page_toa"],
  })) as {
    details?: { near: string[] };
  };
  expect(details!.near).toHaveLength(5);

  const long = Array.from({ length: 10 }, (_, at) => `${at}${"x".repeat(99)}`);
  expect(await call("activate_tools", { tool_ids: long })).toMatchObject({
    error: `There is no tool named ${long
      .map((name) => `'${name}'`)
      .join(", ")
      .slice(0, 500)}. Use tool_search to find one.`,
    details: { unknown: long, near: [] },
  });
});

test("a call without a session fails, and says why", async () => {
  expect(await createActivateTools().execute({ tool_ids: ["x"] })).toMatchObject({
    error: "this call belongs to no session, in which tools could be active",
    code: "SESSION_MISSING",
  });
});

test.each([
  [{ tool_ids: "move_file" }, "tool_ids must be a list, not a string"],
  [{ tool_ids: [""] }, "tool_ids[0] must have at least 1 character"],
])("%j is refused: %s", async (params, error) => {
  const { call } = await mounted();

  expect(await call("activate_tools", params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
});
