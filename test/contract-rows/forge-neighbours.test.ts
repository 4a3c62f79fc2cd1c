import { createMemoryStore, type ApprovalQuestion, type StateStore } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { createWorkspace } from "@toolmount/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { mounting, native, onePlan, opened, refused } from "../support/decisions-world.ts";

const confirmed = native(() => ({ data: "ran" }), {
  name: "send_probe",
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: true,
});
const plain = native(() => ({ data: "ran" }), { name: "write_probe", category: "write" });
const reading = native(() => ({ data: "ran" }), { name: "read_probe" });

/** The names that an approver was asked about, of three calls. */
async function asked(policy: string): Promise<string[]> {
  const names: string[] = [];
  const approver = ({ tool }: ApprovalQuestion) => {
    names.push(tool.name);
    return { decision: "approve" as const };
  };
  const { host } = await opened(
    `${onePlan}${policy}`,
    { m: mounting(confirmed, plain, reading) },
    { approver },
  );
  for (const { name } of [confirmed, plain, reading])
    expect((await host.call({ name })).result.data).toBe("ran");
  return names;
}

describe("FORGE-N7: tools whose confirmation is skipped", () => {
  test("FORGE-N7: a plan lists them in a rule that waives their confirmation, and no others", async () => {
    const rule =
      "policy:\n  rules:\n    - { match: { tool: [send_probe] }, answer: allow, waives: confirmation }\n";

    expect(await asked("")).toEqual(["send_probe"]);
    expect(await asked(rule)).toEqual([]);
    expect(await asked(rule.replace("send_probe", "other"))).toEqual(["send_probe"]);
  });
});

describe("FORGE-N14: levels", () => {
  test.each([
    ["autonomous", ["send_probe"]],
    ["cautious", ["send_probe"]],
    ["standard", ["send_probe", "write_probe"]],
    ["paranoid", ["send_probe", "write_probe", "read_probe"]],
  ])("FORGE-N14: %s asks about its tools", async (level, names) => {
    expect(await asked(`policy:\n  level: ${level}\n`)).toEqual(names);
  });

  test("FORGE-N14: cautious is the default, autonomous asks nothing once confirmation is waived, and another level is refused", async () => {
    const waived =
      "policy:\n  level: autonomous\n  rules:\n    - { match: {}, answer: allow, waives: confirmation }\n";

    expect(await asked("policy: {}\n")).toEqual(["send_probe"]);
    expect(await asked(waived)).toEqual([]);
    expect(
      (await refused(`${onePlan}policy: { level: brave }\n`, { m: mounting(reading) })).problems,
    ).toHaveLength(1);
  });
});

test("FORGE-N9: one entry of a plan mounts every tool that a file exports; nothing else lists them", async () => {
  const tool = (name: string) => `export const ${name} = defineTool({
  name: "${name}", description: "Probes. Use when asked.", schema: { type: "object", properties: {} },
  category: "read", consequenceLevel: "low", requiresConfirmation: false, execute: () => data(1) });`;
  const core = JSON.stringify(import.meta.resolve("@toolmount/core"));
  const file = `import { data, defineTool } from ${core};\n${tool("read_one")}\n${tool("read_two")}\n`;
  const { host } = await opened(
    "version: 1\ntools: [{ module: ./tools.js }]\n",
    {},
    { files: { "tools.js": file } },
  );

  expect(host.tools().map(({ name }) => name)).toEqual(["read_one", "read_two"]);
});

describe("FORGE-N15: a paused call", () => {
  const stores: [string, () => Promise<StateStore>][] = [
    ["memory", async () => createMemoryStore()],
    [
      "SQLite",
      async () => {
        const workspace = await createWorkspace({});
        const store = await openStore("sqlite:./state.db", { folder: workspace.path(".") });
        onTestFinished(() => store.close().then(() => workspace.remove()));
        return store;
      },
    ],
  ];

  test.each(stores)("FORGE-N15: in %s has a random token that runs it once, and expires", async (_, open) => {
    let ran = 0;
    const tool = native(() => ({ data: ++ran }), { requiresConfirmation: true });
    const { host } = await opened(onePlan, { m: mounting(tool) }, { store: await open() });
    const context = { sessionId: "s" };
    const [first, second] = [
      await host.call({ name: "probe" }, context),
      await host.call({ name: "probe" }, context),
    ];
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "approve", "ada");
    const approved = (await host.approvals.list()).length === 1 ? [first, second] : [];
    const outcomes = await Promise.all(approved.map(({ ticket }) => host.resume(ticket!, context)));
    const again = await Promise.all(approved.map(({ ticket }) => host.resume(ticket!, context)));

    expect(first.ticket).toMatch(/^[\w-]{32,}$/);
    expect(second.ticket).not.toBe(first.ticket);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["ok", "pending"]);
    expect(again.map(({ status }) => status).toSorted()).toEqual(["ok", "pending"]);
    expect(ran).toBe(1);
    expect(question!.expiresAt).toBeGreaterThan(Date.now());
    await expect(host.resume("no-such-token", context)).rejects.toMatchObject({ code: "TICKET_INVALID" });
  });
});

test("FORGE-N29: every call is in the audit, with tool, arguments, status, time and code, whatever its end", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const tool = native((params) => (params["fail"] === true ? { error: "no", code: "NO_SUCH" } : { data: 1 }));
  const { host } = await opened(onePlan, { m: mounting(tool) }, { store });
  await host.call({ name: "probe", arguments: { at: "here" } });
  await host.call({ name: "probe", arguments: { fail: true } });
  await host.call({ name: "gone" });
  const entries = (await store.audit!.read()).map(({ entry }) => entry);
  const text = JSON.stringify(entries);

  for (const part of ['"probe"', '"here"', '"ok"', '"failed"', "NO_SUCH", '"not_found"', "TOOL_NOT_FOUND"])
    expect(text).toContain(part);
  for (const entry of entries) expect(entry).toMatchObject({ at: expect.any(Number) as number });
});
