import { expect, test } from "vitest";
import { argumentsDigest, isOver, misfit } from "../../src/pending/grant.ts";

const at = Date.parse("2026-01-01T00:00:00.000Z");
const remembered = {
  id: "i",
  tool: "probe",
  definition: "d",
  scope: "arguments",
  argumentsDigest: argumentsDigest("probe", { list: ["x", "y"] }),
  pattern: null,
  sessionId: null,
  userId: null,
  by: "bob",
  at,
  expiresAt: null,
} as const;
const listed = { list: ["x", "y"] };
const call = { tool: "probe", definition: "d", arguments: listed, sessionId: undefined, userId: undefined };

test.each<[object, object, boolean]>([
  [{}, {}, true],
  [{}, { definition: "e" }, false],
  [{}, { arguments: { list: ["y"] } }, false],
  [{}, { userId: "u" }, false],
  [{ userId: "u" }, {}, false],
  [{ userId: "u" }, { userId: "u" }, true],
  [{ userId: "u" }, { userId: "v" }, false],
  [{}, { sessionId: "s" }, true],
  [{ scope: "session", sessionId: "s" }, { sessionId: "s" }, true],
  [{ scope: "session", sessionId: "s" }, { sessionId: "t" }, false],
  [{ scope: "session", sessionId: "s" }, { sessionId: "s", arguments: { list: ["y"] } }, false],
  [{ scope: "session", sessionId: null }, {}, false],
  [{ scope: "rule", pattern: { list: ["z", "?"] } }, {}, true],
  [{ scope: "rule", pattern: { list: ["x", "y"] } }, {}, false],
  [{ scope: "rule", pattern: { list: "x" } }, {}, false],
  [{ scope: "rule", pattern: null }, {}, false],
  [{}, { tool: "other" }, false],
  [{ scope: "call" }, {}, true],
  [{ scope: "call" }, { sessionId: "s" }, false],
  [{ scope: "call", sessionId: "s" }, {}, false],
  [{ scope: "call", sessionId: "s" }, { sessionId: "s" }, true],
  [{ scope: "call" }, { arguments: { list: ["y", "x"] } }, false],
  [{ expiresAt: at + 1 }, {}, true],
  [{ expiresAt: at }, {}, false],
  [{ expiresAt: at - 1 }, {}, false],
])("a grant with %j covers a call with %j: %s", (stored, own, isCovered) => {
  expect(misfit({ ...remembered, ...stored }, { ...call, ...own }, at) === null).toBe(isCovered);
});

test("a grant without an end never ends by itself", () => {
  expect([isOver({ expiresAt: null }, at), isOver({ expiresAt: 0 }, at)]).toEqual([false, true]);
});
