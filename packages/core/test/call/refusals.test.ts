import { describe, expect, test } from "vitest";
import { data, type HookResult, type HostOptions, type PolicyAnswer } from "../../src/index.ts";
import { logged } from "../logged-host.ts";
import { tool, world } from "../world.ts";

/** How a call ends where gates and policies answer so. */
async function decided(
  { gate, policies = [], ...options }: HostOptions & { gate?: HookResult; policies?: readonly unknown[] },
  fields: object = {},
) {
  const made = world([tool((given) => data(given), fields)], options);
  if (gate !== undefined) made.host.coordinator.hooks.gate("tool:pre", () => gate);
  for (const [at, answer] of policies.entries())
    made.host.coordinator.mount("policies", {
      name: `p${at}`,
      prepare: () => () => {
        if (answer instanceof Error) throw answer;
        return answer as PolicyAnswer;
      },
    });
  const { status, result } = await made.host.call({ name: "probe", arguments: { a: 1 } });
  return [status, result.error ?? result.data];
}
const denied = (reason: string) => ["denied", `"probe" was not run: ${reason}`];
const unasked = (reason: string) =>
  denied(`it needs approval (${reason}) and the host has no approver; give the host an approver or a store`);
const asks = { requiresConfirmation: true };
const level = { answer: "ask", because: "level", reason: "it writes" };

describe("a call is decided", () => {
  test.each<[string, Parameters<typeof decided>, unknown]>([
    ["by a gate that denies", [{ gate: { action: "deny", reason: "not today" } }], denied("not today")],
    ["by a gate that asks", [{ gate: { action: "ask_user", reason: "sure?" } }], unasked("sure?")],
    [
      "by the prompt of a gate that asks",
      [{ gate: { action: "ask_user", reason: "r", approvalPrompt: "Send?" } }],
      unasked("Send?"),
    ],
    [
      "by a gate that asks without words",
      [{ gate: { action: "ask_user" } }],
      ["denied", expect.stringMatching(/^"probe" was not run: it needs approval \(gate ".+" asks\) and/)],
    ],
    [
      "by a gate that replaces the arguments by none",
      [{ gate: { action: "modify", data: { tool_input: null } } }],
      denied("a gate replaced the arguments by a value that is not an object"),
    ],
    [
      "by a gate that replaces the arguments by too many",
      [
        {
          gate: { action: "modify", data: { tool_input: { a: "x".repeat(2_000) } } },
          limits: { argumentBytes: 1_000 },
        },
      ],
      denied("a gate replaced the arguments: the arguments are larger than 1000 bytes"),
    ],
    [
      "by a gate that replaces the arguments",
      [{ gate: { action: "modify", data: { tool_input: { b: 2 } } } }],
      ["ok", { b: 2 }],
    ],
    [
      "by a gate that gives the result",
      [{ gate: { action: "modify", data: { tool_result: { data: 7 } } } }],
      ["ok", 7],
    ],
    ["by a policy that denies", [{ policies: [{ answer: "deny", reason: "no rule" }] }], denied("no rule")],
    [
      "by the one policy that denies",
      [{ policies: [{ answer: "allow" }, { answer: "deny", reason: "no rule" }] }],
      denied("no rule"),
    ],
    [
      "by a policy that answers nonsense",
      [{ policies: [{ answer: "perhaps" }] }],
      denied("a policy returned an invalid answer"),
    ],
    [
      "by a policy that fails",
      [{ policies: [new Error("boom")] }],
      ["failed", "the host failed; see its log"],
    ],
    ["by a rule that asks", [{ policies: [{ answer: "ask", reason: "it sends" }] }], unasked("it sends")],
    ["by the level", [{ policies: [level] }], unasked("it writes")],
    ["not by the level where a rule allows", [{ policies: [level, { answer: "allow" }] }], ["ok", { a: 1 }]],
    ["by no opinion", [{ policies: [null, { answer: "none", origins: [] }] }], ["ok", { a: 1 }]],
    ["by the tool", [{}, asks], unasked('"probe" asks for confirmation')],
    [
      "by the tool where a rule allows",
      [{ policies: [{ answer: "allow" }] }, asks],
      unasked('"probe" asks for confirmation'),
    ],
    [
      "not by the tool where a rule waives that",
      [{ policies: [{ answer: "allow", waives: "confirmation" }] }, asks],
      ["ok", { a: 1 }],
    ],
    [
      "by the tool's function",
      [{}, { requiresConfirmation: ({ a }: { a: number }) => a === 1 }],
      unasked('"probe" asks for confirmation'),
    ],
    [
      "not by the tool's function",
      [{}, { requiresConfirmation: ({ a }: { a: number }) => a === 2 }],
      ["ok", { a: 1 }],
    ],
    [
      "by the tool's promise",
      [{}, { requiresConfirmation: async () => true }],
      unasked('"probe" asks for confirmation'),
    ],
    ["not by the tool's promise", [{}, { requiresConfirmation: async () => false }], ["ok", { a: 1 }]],
    [
      "by the tool's promise of anything else",
      [{}, { requiresConfirmation: async () => undefined }],
      unasked('"probe" asks for confirmation'),
    ],
  ])("%s", async (_, given, end) => {
    expect(await decided(...given)).toEqual(end);
  });

  test.each([
    () => {
      throw new Error("no");
    },
    () => Promise.reject(new Error("no")),
  ])("by a person, where the tool's function fails (%#)", async (requiresConfirmation) => {
    const { host, lines } = logged();
    host.coordinator.mount("tools", tool(undefined, { requiresConfirmation: requiresConfirmation as never }));

    expect((await host.call({ name: "probe" })).status).toBe("denied");
    expect(lines.map(([level_, , text]) => [level_, text])).toContainEqual([
      "warn",
      "requiresConfirmation threw, so the call needs an approval",
    ]);
  });
});

test("the first policy to waive a confirmation is named as the one that approved, with its rule", async () => {
  const { host } = logged();
  const answers: PolicyAnswer[] = [
    { answer: "allow", waives: "confirmation", rule: "plan.yaml:3:1" },
    { answer: "allow", waives: "confirmation" },
  ];
  for (const [at, answer] of answers.entries())
    host.coordinator.mount("policies", { name: `p${at}`, prepare: () => () => answer });
  host.coordinator.mount(
    "tools",
    tool(() => data(1), asks),
  );

  expect((await host.call({ name: "probe" })).status).toBe("ok");
});
