import { createHost } from "@toolmount/core";
import { expect, test } from "vitest";
import { isChildOf, rightsOf, selfDepthOf } from "../../src/agents/child-rights.ts";
import type { SessionLog } from "../../src/session/log.ts";
import { tool } from "../support/world.ts";

const logOf = (
  id: string,
  agent: string | null,
  parentId: string | null = "p",
  userId: string | null = "ada",
) => ({ facts: { id, agent, parentId, userId } }) as unknown as SessionLog;

const parent = logOf("p", null, null);
const own = "p-0123456789abcdef_self";
const ask = (agent: string | undefined) => ({ instruction: "go on", agent }) as never;

test.each([
  ["begun as self", logOf(own, null), ["self", undefined], "researcher"],
  ["begun as self by an agent", logOf(own, "researcher"), ["self", "researcher", undefined], "writer"],
  [
    "begun as an agent",
    logOf("p-0123456789abcdef_researcher", "researcher"),
    ["researcher", undefined],
    "self",
  ],
])("a child %s is resumed by its own agent's names, and by no other", (_begun, child, names, other) => {
  expect(names.map((name) => isChildOf(child, parent, "ada", ask(name)))).toEqual(names.map(() => "yes"));
  expect(isChildOf(child, parent, "ada", ask(other))).toBe("other agent");
});

test("a session of another parent or another user is foreign", () => {
  expect(isChildOf(logOf(own, null, "q"), parent, "ada", ask("self"))).toBe("foreign");
  expect(isChildOf(logOf(own, null), parent, "bob", ask("self"))).toBe("foreign");
  expect(isChildOf(logOf(own, null), parent, null, ask("self"))).toBe("foreign");
});

test("the depth of self is counted from the end of the id", () => {
  expect(selfDepthOf("p")).toBe(0);
  expect(selfDepthOf(own)).toBe(1);
  expect(selfDepthOf(`${own}-0123456789abcdef_self`)).toBe(2);
  expect(selfDepthOf(`${own}-0123456789abcdef_writer`)).toBe(0);
});

test("a deprecated tool is excluded by any of its names, since it can still be called", async () => {
  const host = createHost();
  host.coordinator.mount(
    "tools",
    tool("list_all", () => "all", { status: "deprecated" }),
    { name: "ls" },
  );
  const session = { facts: { id: "p" }, view: { turn: null } } as unknown as SessionLog;

  expect((await rightsOf(host, session, undefined, ["ls"]))[0]).toContain("!list_all");
});
