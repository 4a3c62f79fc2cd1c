import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { config } from "../src/index.ts";
import { tool, world } from "./world.ts";

const alice = { sessionId: "s-1", userId: "alice" };

describe("C21: levels", () => {
  const tools = [
    tool("reads"),
    tool("writes", { category: "write" }),
    tool("deletes", { category: "delete" }),
    tool("acts", { category: "side_effect" }),
    tool("unclassified", { category: undefined, consequenceLevel: undefined }),
    tool("confirms", { requiresConfirmation: true }),
  ];
  test.each([
    ["autonomous", ["confirms"]],
    ["cautious", ["confirms"]],
    ["standard", ["writes", "deletes", "acts", "unclassified", "confirms"]],
    ["paranoid", ["reads", "writes", "deletes", "acts", "unclassified", "confirms"]],
  ])("FORGE-18, C20: %s asks about %s, and runs the others", async (level, asked) => {
    const { host } = await world({ level }, tools);
    const outcomes = await Promise.all(tools.map(({ name }) => host.call({ name }, alice)));
    expect(outcomes.filter(({ status }) => status === "pending").map((one) => one.tool)).toEqual(asked);
    expect(outcomes.filter(({ status }) => status === "ok")).toHaveLength(tools.length - asked.length);
  });

  test("an unknown level, an unknown key, a rule without an answer, an empty reason or command: refused", () => {
    for (const bad of [
      { level: "wild" },
      { lvl: "standard" },
      { rules: [{ match: {} }] },
      { rules: [{ match: { tol: "x" }, answer: "ask" }] },
      { rules: [{ match: {}, answer: "deny", reason: "" }] },
      { commandHooks: [{ command: "" }] },
      { commandHooks: [{ command: [] }] },
      { commandHooks: [{ command: [""] }] },
    ])
      expect(config.safeParse(bad).success).toBe(false);
    expect(config.safeParse({ rules: [{ match: {}, answer: "deny", reason: "x" }] }).success).toBe(true);
    for (const command of ["x", ["x"]])
      expect(config.safeParse({ commandHooks: [{ command }] }).success).toBe(true);
    expect(config.safeParse({ rules: [{ match: {}, answer: "ask", waives: "confirmation" }] }).success).toBe(
      false,
    );
  });
});

describe("what a rule looks at", () => {
  const bash = tool("bash", { category: "side_effect", consequenceLevel: "high", tags: ["shell", "local"] });
  test.each([
    [{ tool: "bash" }, true],
    [{ tool: "ba*" }, true],
    [{ tool: "b?sh" }, true],
    [{ tool: "Bash" }, false],
    [{ tool: ["read_*", "bash"] }, true],
    [{ tool: "as" }, false],
    [{ tag: "shell" }, true],
    [{ tag: ["net", "loc*"] }, true],
    [{ tag: "net" }, false],
    [{ category: "side_effect" }, true],
    [{ category: ["read", "write"] }, false],
    [{ category: "unclassified" }, false],
    [{ consequence: "high" }, true],
    [{ consequence: ["low", "medium"] }, false],
    [{ server: "host" }, true],
    [{ server: "!host" }, false],
    [{ user: "alice" }, true],
    [{ user: "al*" }, true],
    [{ user: "bob" }, false],
    [{ mode: "general" }, true],
    [{ mode: "plan" }, false],
    [{ arguments: { command: "git push*" } }, true],
    [{ arguments: { command: "git pull*" } }, false],
    [{ arguments: { command: "*push*", force: true } }, true],
    [{ arguments: { force: "true" } }, true],
    [{ arguments: { force: false } }, false],
    [{ arguments: { missing: "*" } }, false],
    [{ arguments: { nested: { depth: 2 } } }, true],
    [{ arguments: { nested: { depth: 3 } } }, false],
    [{ arguments: { command: ["ls", "git *"] } }, true],
    [{ arguments: { paths: "/etc/*" } }, true],
    [{ tool: "bash", user: "bob" }, false],
    [{}, true],
  ])("%j fits: %s", async (match, fits) => {
    const { host } = await world({ rules: [{ match, answer: "deny", reason: "no" }] }, [bash]);
    const given = {
      command: "git push origin main",
      force: true,
      nested: { depth: 2, more: 1 },
      paths: ["a", "/etc/x"],
    };
    const outcome = await host.call({ name: "bash", arguments: given }, { ...alice, mode: "general" });
    expect(outcome.status).toBe(fits ? "denied" : "ok");
    expect(outcome.result.error).toBe(fits ? '"bash" was not run: no' : undefined);
  });

  test("an alias cannot get round a rule: the name under which a tool is offered decides", async () => {
    const { host } = await world({ rules: [{ match: { tool: "bash" }, answer: "deny" }] }, []);
    host.coordinator.mount("tools", bash, { name: "sh" });
    expect((await host.call({ name: "sh" })).status).toBe("denied");
    expect((await host.call({ name: "BASH" })).status).toBe("denied");
  });

  test("what allows holds for every member of a list; what denies, for one", async () => {
    const write = tool("write", { category: "write" });
    const pattern = { match: { arguments: { paths: "docs/*" } } };
    const { host } = await world({ level: "standard", rules: [{ ...pattern, answer: "allow" }] }, [write]);
    const call = async (paths: string[]) => (await host.call({ name: "write", arguments: { paths } })).status;
    expect(await call(["docs/a", "docs/b"])).toBe("ok");
    expect(await call(["docs/a", "/etc/passwd"])).toBe("pending");
    expect(await call([])).toBe("pending");
  });

  test("rules see the arguments as parsed and as gates left them, not what was sent", async () => {
    const { host } = await world({ rules: [{ match: { arguments: { n: 2 } }, answer: "deny" }] }, [
      tool("t"),
    ]);
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "modify", data: { tool_input: { n: 2 } } }));
    expect((await host.call({ name: "t", arguments: '{"n":1}' })).status).toBe("denied");
  });
});

describe("C19: how answers add up", () => {
  const confirms = [tool("t", { category: "write", requiresConfirmation: true })];
  const plain = [tool("t", { category: "write" })];
  const allow = { match: {}, answer: "allow" };
  const waive = { ...allow, waives: "confirmation" };
  const ask = { match: {}, answer: "ask", reason: "look" };
  const deny = { match: {}, answer: "deny", reason: "no" };
  test.each([
    ["an allow removes the level's question", plain, [allow], "ok"],
    ["an allow leaves requiresConfirmation", confirms, [allow], "pending"],
    ["an allow that waives removes requiresConfirmation", confirms, [waive], "ok"],
    ["a rule's ask stays beside an allow", plain, [allow, ask], "pending"],
    ["a rule's ask stays beside a waiver, wherever it stands", plain, [ask, waive], "pending"],
    ["any deny wins, first", plain, [deny, waive], "denied"],
    ["any deny wins, last", plain, [waive, ask, deny], "denied"],
  ])("%s", async (_, tools, rules, status) => {
    const { host } = await world({ level: "standard", rules }, tools);
    expect((await host.call({ name: "t" })).status).toBe(status);
  });

  test("a rule without a reason says that it is a rule of the plan", async () => {
    const { host } = await world({ rules: [{ match: {}, answer: "deny" }] }, [tool("reads")]);
    const { result } = await host.call({ name: "reads" }, alice);
    expect(result.error).toContain("a rule of the plan denies it");
    const asking = await world({ rules: [{ match: {}, answer: "ask" }] }, [tool("reads")]);
    await asking.host.call({ name: "reads" }, alice);
    const [question] = await asking.host.approvals.list();
    expect(question!.reasons).toMatchObject([{ reason: "a rule of the plan asks" }]);
  });

  test("a gate's ask is never removed, and one question has every reason", async () => {
    const { host } = await world({ level: "standard", rules: [waive, ask] }, confirms);
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "ask_user", reason: "gate says look" }), {
      name: "g",
    });
    await host.call({ name: "t" });
    const [question, ...more] = await host.approvals.list();
    expect(more).toEqual([]);
    expect(question!.reasons).toEqual([
      { source: "gate", reason: "gate says look", rule: "g" },
      { source: "rule", reason: "look", rule: "rule 2" },
    ]);
  });

  test("whatever the rules and their order, the strictest answer counts", async () => {
    const rules = fc.array(fc.constantFrom(allow, waive, ask, deny), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rules, fc.boolean(), async (list, confirm) => {
        const { host } = await world({ level: "standard", rules: list }, confirm ? confirms : plain);
        const { status } = await host.call({ name: "t" });
        const asked =
          list.includes(ask) ||
          (confirm ? !list.includes(waive) : !list.includes(allow) && !list.includes(waive));
        expect(status).toBe(list.includes(deny) ? "denied" : asked ? "pending" : "ok");
      }),
      { numRuns: 100 },
    );
  });
});

test("what a rule or a list of a plan asks says where the plan says so", async () => {
  const rules = [
    { match: { tool: "no" }, answer: "deny" },
    { match: { tool: "one" }, answer: "ask" },
  ];
  const { host } = await world({ rules, ask: ["two"] }, [tool("one"), tool("two")]);
  const lines: Readonly<Record<string, number>> = { "policy,rules,1": 4, "policy,ask,0": 9 };
  host.coordinator.registerCapability("plan.position", (path: readonly unknown[]) => {
    const line = lines[path.join(",")];
    return line === undefined ? undefined : { file: "/home/ada/plan.yaml", line, column: 3 };
  });
  for (const name of ["one", "two"]) await host.call({ name }, alice);
  const questions = await host.approvals.list();
  const placeOf = (name: string) => JSON.stringify(questions.find((one) => one.tool === name)?.reasons);

  expect(placeOf("one")).toContain("plan.yaml:4:3");
  expect(placeOf("two")).toContain("plan.yaml:9:3");
});
