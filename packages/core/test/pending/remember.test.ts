import { expect, test } from "vitest";
import { createMemoryStore, data, type ApprovalScope } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const at = Date.parse("2026-01-01T00:00:00.000Z");
const given = { command: "git status", n: 1 };

/** A question about a call, which a person answers with an approval for later calls. */
async function remembering(
  remember: unknown,
  context: object = { sessionId: "s", userId: "u" },
  fields = {},
) {
  const store = createMemoryStore();
  const { host } = world([tool(() => data(1), { requiresConfirmation: true, ...fields })], {
    store,
    clock: createFakeClock(),
  });
  await host.call({ name: "probe", arguments: given }, { sessionId: "s", ...context });
  const [question] = await store.approvals.list({});
  const decided = host.approvals.decide(
    question!.id,
    { decision: "approve", remember: remember as ApprovalScope },
    "bob",
  );
  return { host, store, decided, question: question! };
}

test.each<[ApprovalScope, object, object]>([
  [
    { scope: "arguments" },
    { sessionId: "s", userId: "u" },
    { scope: "arguments", sessionId: null, userId: "u", pattern: null, expiresAt: null },
  ],
  [
    { scope: "arguments", forMs: 1 },
    { sessionId: "s" },
    { scope: "arguments", sessionId: null, userId: null, pattern: null, expiresAt: at + 1 },
  ],
  [
    { scope: "session", forMs: 315_360_000_000 },
    { sessionId: "s" },
    { scope: "session", sessionId: "s", userId: null, pattern: null, expiresAt: at + 315_360_000_000 },
  ],
  [
    { scope: "rule", arguments: { command: "git *" } },
    { sessionId: "s", userId: "u" },
    {
      scope: "rule",
      sessionId: null,
      userId: "u",
      pattern: { command: "git *" },
      expiresAt: null,
      argumentsDigest: null,
    },
  ],
])("an approval of the scope %j is stored whole", async (scope, context, stored) => {
  const { store, decided, question } = await remembering(scope, context);
  await decided;

  expect(await store.approvals.remembered()).toEqual([
    {
      id: expect.stringMatching(/^[\w-]{20,}$/) as string,
      tool: "probe",
      definition: question.definition,
      argumentsDigest: question.argumentsDigest,
      by: "bob",
      at,
      uses: 0,
      usedAt: null,
      ...stored,
    },
  ]);
});

const wide = "the pattern must narrow at least one argument; a tool is never approved by its name alone";
const tooLong = "forMs must be a whole number of milliseconds from 1 to those of ten years";

test.each<[unknown, string]>([
  [{ scope: "rule", arguments: {} }, wide],
  [{ scope: "rule", arguments: { command: "**" } }, wide],
  [{ scope: "rule", arguments: { command: [] } }, wide],
  [{ scope: "rule", arguments: { command: ["git *", "*"] } }, wide],
  [{ scope: "rule", arguments: { command: { a: "*", b: {} } } }, wide],
  [{ scope: "rule" }, wide],
  [{ scope: "tool" }, "the scope must be arguments, session or rule"],
  [{ scope: "arguments", forMs: 0 }, tooLong],
  [{ scope: "arguments", forMs: 1.5 }, tooLong],
  [{ scope: "arguments", forMs: "5" }, tooLong],
  [{ scope: "arguments", forMs: 315_360_000_001 }, tooLong],
  [{ scope: "arguments", more: 1n }, "it is of type bigint, which JSON cannot hold"],
  [
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    ),
    "it cannot be read",
  ],
])("the scope of case %# is refused, and the question still waits", async (scope, problem) => {
  const { host, decided } = await remembering(scope);

  await expect(decided).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: `option remember: ${problem}`,
  });
  expect((await host.approvals.list()).map(({ state }) => state)).toEqual(["pending"]);
  expect(await host.approvals.remembered()).toEqual([]);
});

test.each<[object, boolean]>([
  [{ command: "git *" }, true],
  [{ command: "?" }, false],
  [{ n: 1 }, true],
  [{ n: 2 }, false],
  [{ command: ["git *", "ls"] }, true],
  [{ command: "git *", n: [1, 2] }, true],
  [{ command: "git *", n: [2, 3] }, false],
])("a rule for %j covers the call %s", async (pattern, isCovered) => {
  const { host, decided } = await remembering({ scope: "rule", arguments: pattern });
  await decided;
  const { status } = await host.call(
    { name: "probe", arguments: { ...given } },
    { sessionId: "other", userId: "u" },
  );

  expect(status).toBe(isCovered ? "ok" : "pending");
});
