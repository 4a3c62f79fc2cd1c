import type { Tool } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { asAccepted } from "../src/mount/mounted-tools.ts";
import { skillMetaKey } from "../src/wire/skills.ts";

const tool = (more: object): Tool => ({ name: "a", inputSchema: { type: "object" }, ...more });
const skill = { _meta: { [skillMetaKey]: { uri: "skill://notes/SKILL.md", resources: [] } } };

describe("a tool of a locked server", () => {
  test.each([
    ["nothing", {}, {}, []],
    ["the same", { title: "A", _meta: { a: 1, b: 2 } }, { title: "A", _meta: { b: 2, a: 1 } }, []],
    ["another title", { title: "Looks" }, { title: "Deletes" }, ["title"]],
    ["a title that was not there", { title: "Looks" }, {}, ["title"]],
    [
      "a title only in hints",
      { annotations: { title: "Looks", readOnlyHint: true } },
      { title: "Deletes", annotations: { readOnlyHint: true } },
      ["title"],
    ],
    ["no icons any more", {}, { icons: [{ src: "x:y" }] }, ["icons"]],
    ["other _meta", { _meta: { a: 1 } }, { _meta: { a: 2 } }, ["_meta"]],
  ])("with %s is shown as it was accepted", (_, now, before, differs) => {
    const found = asAccepted(tool(now), tool(before));

    expect(found.differs).toEqual(differs);
    expect(found.tool).toEqual(tool(before));
  });

  test("keeps the hints that the server gives now, which classify it", () => {
    const now = tool({ annotations: { title: "Looks", readOnlyHint: false } });
    const before = tool({ annotations: { title: "Deletes", readOnlyHint: true } });

    expect(asAccepted(now, before).tool.annotations).toEqual({ title: "Deletes", readOnlyHint: false });
  });

  test.each([
    ["is no skill any more", {}, skill],
    ["is a skill now", skill, {}],
  ])("that %s is what the server says, so it differs from the lock", (_, now, before) => {
    expect(asAccepted(tool(now), tool(before))).toEqual({ tool: tool(now), differs: [] });
  });
});
