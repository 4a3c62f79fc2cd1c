import { data, type ApprovalQuestion } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { forgeSource, mounting, native, onePlan, opened, refused } from "../support/decisions-world.ts";
import { mountAll, readToolPackages } from "../support/shipped-tools.ts";

const plan = "version: 1\ntools:\n  - module: ./tool.js\n";

describe("FORGE-7: the consequence level is one of three", () => {
  test.each(["low", "medium", "high"])("FORGE-7: %s is accepted and listed", async (consequenceLevel) => {
    const source = forgeSource("return 1;").replace('"low"', JSON.stringify(consequenceLevel));
    const { host } = await opened(plan, {}, { files: { "tool.js": source } });

    expect(host.tools()).toMatchObject([{ consequenceLevel }]);
  });

  test.each(["critical", "LOW", "", 1, null])("FORGE-7: %j is refused", async (level) => {
    const files = { "tool.js": forgeSource("return 1;").replace('"low"', JSON.stringify(level)) };
    const own = mounting(native(() => 1, { consequenceLevel: level as never }));

    expect(JSON.stringify((await refused(plan, {}, { files })).problems)).toContain("consequenceLevel");
    expect(JSON.stringify((await refused(onePlan, { m: own })).problems)).toContain("consequenceLevel");
  });
});

describe("FORGE-8: requiresConfirmation is true or false", () => {
  test.each([true, false])(
    "FORGE-8: %j is accepted, listed, and decides whether a person is asked",
    async (given) => {
      const asked: ApprovalQuestion[] = [];
      const approver = (question: ApprovalQuestion) => (asked.push(question), { decision: "deny" as const });
      const source = forgeSource(
        'return { tool: "get_probe", fetchedAt: new Date().toISOString(), data: 1 };',
      ).replace("requiresConfirmation: false", `requiresConfirmation: ${given}`);
      const { host } = await opened(plan, {}, { files: { "tool.js": source }, approver });
      const { status } = await host.call({ name: "get_probe" });

      expect(host.tools()).toMatchObject([{ requiresConfirmation: given }]);
      expect([status, asked.length]).toEqual(given ? ["denied", 1] : ["ok", 0]);
    },
  );

  test.each(["yes", 1, null, {}])("FORGE-8: %j is refused", async (given) => {
    const source = forgeSource("return 1;").replace(
      "Confirmation: false",
      `Confirmation: ${JSON.stringify(given)}`,
    );
    const own = mounting(native(() => 1, { requiresConfirmation: given as never }));

    expect(JSON.stringify((await refused(plan, {}, { files: { "tool.js": source } })).problems)).toContain(
      "requiresConfirmation",
    );
    expect(JSON.stringify((await refused(onePlan, { m: own })).problems)).toContain("requiresConfirmation");
  });
});

test("FORGE-11: a plan chooses tools by their tags", async () => {
  const tools = [
    native(() => 1, { name: "read_one", tags: ["notes", "local"] }),
    native(() => 1, { name: "read_two", tags: ["web"] }),
    native(() => 1, { name: "read_three" }),
  ];
  const names = async (choice: string) => {
    const { host } = await opened(`${onePlan}    tools: ${choice}\n`, { m: mounting(...tools) });
    return host.tools().map(({ name }) => name);
  };

  expect(await names("{ include: ['tag: notes'] }")).toEqual(["read_one"]);
  expect(await names("{ exclude: ['tag: notes'] }")).toEqual(["read_three", "read_two"]);
});

describe("FORGE-14, FORGE-16: what category and consequence mean for shipped tools", async () => {
  const tools = (await mountAll(await readToolPackages())).tools({ includeDeprecated: true });
  const of = (category: string) => tools.filter((tool) => tool.category === category);

  test("FORGE-14: at level standard a plan runs reading tools and asks about writing, deleting and acting ones", async () => {
    const kinds = ["read", "write", "delete", "side_effect"] as const;
    const mounted = kinds.map((category) =>
      native(() => data(category), { name: `do_${category}`, category }),
    );
    const asked: string[] = [];
    const approver = ({ tool }: ApprovalQuestion) => (
      asked.push(tool.name),
      { decision: "approve" as const }
    );
    const { host } = await opened(
      `${onePlan}policy: { level: standard }\n`,
      { m: mounting(...mounted) },
      { approver },
    );
    for (const { name } of mounted) expect((await host.call({ name })).status).toBe("ok");

    expect(asked).toEqual(["do_write", "do_delete", "do_side_effect"]);
  });

  test("FORGE-14: shipped tools that delete ask a person, and those that read never do", () => {
    expect(of("delete").length).toBeGreaterThan(0);
    for (const tool of of("delete")) expect(tool).toMatchObject({ requiresConfirmation: true });
    for (const tool of of("read")) expect(tool).toMatchObject({ requiresConfirmation: false });
  });

  test("FORGE-16: what cannot be undone is high, what only reads here is low", () => {
    for (const tool of of("delete")) expect([tool.name, tool.consequenceLevel]).toEqual([tool.name, "high"]);
    for (const tool of of("read")) expect([tool.name, tool.consequenceLevel]).toEqual([tool.name, "low"]);
    expect(tools.find(({ name }) => name === "bash")).toMatchObject({ consequenceLevel: "high" });
    expect(tools.find(({ name }) => name === "write_file")).toMatchObject({ consequenceLevel: "medium" });
  });

  test("FORGE-16: a rule of a plan answers by the consequence level", async () => {
    const levels = ["low", "medium", "high"] as const;
    const mounted = levels.map((consequenceLevel) =>
      native(() => data(1), { name: `do_${consequenceLevel}`, consequenceLevel }),
    );
    const rules = "policy:\n  rules:\n    - { match: { consequence: high }, answer: deny }\n";
    const { host } = await opened(`${onePlan}${rules}`, { m: mounting(...mounted) });
    const ends = await Promise.all(mounted.map(async ({ name }) => (await host.call({ name })).status));

    expect(ends).toEqual(["ok", "ok", "denied"]);
  });
});

test("FORGE-N12: a plan does not mount a removed tool, runs a deprecated one without offering it, and offers an active one", async () => {
  const tools = (["active", "deprecated", "removed"] as const).map((status) =>
    native(() => data(status), { name: `do_${status}`, status }),
  );
  const { host } = await opened(onePlan, { m: mounting(...tools) });

  expect((await host.offer()).tools.map(({ name }) => name)).toEqual(["do_active"]);
  expect((await host.call({ name: "do_deprecated" })).result.data).toBe("deprecated");
  expect(await host.guidance()).not.toContain("do_deprecated");
  expect((await host.call({ name: "do_removed" })).status).toBe("not_found");
  expect(host.tools({ includeDeprecated: true }).map(({ name }) => name)).toEqual([
    "do_active",
    "do_deprecated",
  ]);
});

describe("FORGE-N31: the config of an entry in two plans", () => {
  const merged = async (inner: string) => {
    const text =
      "version: 1\nextends: ./base.yaml\ntools:\n  - { module: ./tool.js, id: t, config: { list: [3], deep: { b: 2 } } }\n";
    const base = `version: 1\ntools:\n  - { module: ./tool.js, id: t, config: { list: [1, 2], deep: { a: 1, ${inner} } } }\n`;
    const source = forgeSource("return 1;").replace(
      "coordinator.mount(",
      "globalThis.forgeN31 = config; coordinator.mount(",
    );
    await opened(text, {}, { files: { "tool.js": source, "base.yaml": base } });
    return (globalThis as { forgeN31?: object }).forgeN31;
  };

  test("FORGE-N31: objects are merged, lists replaced", async () => {
    expect(await merged("c: 3")).toEqual({ list: [3], deep: { a: 1, b: 2, c: 3 } });
  });

  test.each(["__proto__", "constructor", "prototype"])(
    "FORGE-N31: the key %s is refused, and no prototype has changed",
    async (key) => {
      await expect(merged(`${key}: { polluted: 1 }`)).rejects.toMatchObject({ code: "PLAN_INVALID" });
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );
});
