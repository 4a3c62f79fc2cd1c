import type { ApprovalDecision } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import { amplifierProfile, aptixProfile, toAmplifierResult } from "@toolmount/interop";
import { checkToolModule } from "@toolmount/testing";
import { describe, expect, test } from "vitest";
import { amplifierSource, aptixSource, opened, refused } from "../support/decisions-world.ts";
import { faultyModules } from "../support/faulty-modules.ts";

const plan = "version: 1\ntools:\n  - module: ./tool.js\n";

describe("AMP-N2: a failure without output gets its error's message as output", () => {
  test.each([
    ["null", "no such city"],
    ["undefined", "no such city"],
    ['""', "no such city"],
    ["[]", "no such city"],
    ['"partly done"', "partly done"],
    ["{ rows: 1 }", { rows: 1 }],
  ])("AMP-N2: the output %s becomes %j", async (output, expected) => {
    const body = `return { success: false, output: ${output}, error: { message: "no such city" } };`;
    const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource(body) } });

    expect(toAmplifierResult(await host.call({ name: "probe" }))).toMatchObject({
      success: false,
      output: expected,
      error: { message: "no such city" },
    });
  });
});

test.each(["wizard", "Tool", ""])(
  "AMP-N23: a plan's module that declares the type %j does not mount",
  async (type) => {
    const source = amplifierSource("return { success: true };").replace(
      '= "tool"',
      `= ${JSON.stringify(type)}`,
    );
    const { problems } = await refused(plan, {}, { files: { "tool.js": source } });

    expect(problems).toMatchObject([{ code: "MODULE_INVALID" }]);
    expect(JSON.stringify(problems)).toContain(`\\"${type}\\"`);
  },
);

test("AMP-N30: a handler is asynchronous, gets the event's name and data, and its result is carried out", async () => {
  const seen: unknown[] = [];
  (globalThis as { ampN30Seen?: unknown[] }).ampN30Seen = seen;
  const before = `coordinator.hooks.register("tool:pre", async (...given) => {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.ampN30Seen.push(given);
    return { action: "deny", reason: "not today" };
  });`;
  const source = amplifierSource('throw new Error("it ran");', before);
  const { host } = await opened(plan, {}, { files: { "tool.js": source } });
  const outcome = await host.call({ name: "probe", arguments: { at: "here" } });

  expect(seen).toEqual([
    ["tool:pre", expect.objectContaining({ tool_name: "probe", tool_input: { at: "here" } })],
  ]);
  expect(outcome).toMatchObject({ status: "denied" });
  expect(outcome.result.error).toContain("not today");
});

describe("AMP-N41: a call that a hook asks about", () => {
  const asking = (more = "") =>
    amplifierSource(
      'return { success: true, output: "ran" };',
      `coordinator.hooks.register("tool:pre", async () => ({ action: "ask_user", approval_prompt: "sure?", ${more} }));`,
    );
  const never = () => new Promise<ApprovalDecision>(() => {});
  const call = async (approver?: () => Promise<ApprovalDecision>, more?: string) => {
    const options = { files: { "tool.js": asking(more) }, ...(approver !== undefined && { approver }) };
    const { host } = await opened(plan, {}, options);
    return (await host.call({ name: "probe" })).status;
  };

  test("AMP-N41: is denied without an approver, and follows the answer of one", async () => {
    expect(await call()).toBe("denied");
    expect(await call(async () => ({ decision: "approve" }))).toBe("ok");
    expect(await call(async () => ({ decision: "deny" }))).toBe("denied");
    expect(await call(async () => ({ decision: "yes" }) as never)).toBe("denied");
  });

  test("AMP-N41: follows approval_default after its timeout, which denies unless it says allow", async () => {
    expect(await call(never, "approval_timeout: 0.01")).toBe("denied");
    expect(await call(never, 'approval_timeout: 0.01, approval_default: "deny"')).toBe("denied");
    expect(await call(never, 'approval_timeout: 0.01, approval_default: "allow"')).toBe("ok");
  });
});

test("APTIX-84: each profile has a verdict of its own, and one broken rule is enough to fail it", async () => {
  for (const [name, profile] of [
    ["aptix", aptixProfile],
    ["amplifier", amplifierProfile],
  ] as const) {
    const faulty = faultyModules.filter(
      (one) => one.profile === name && (one.severity ?? "error") === "error",
    );
    expect(faulty.length).toBeGreaterThan(3);
    for (const { module, rule: _, profile: __, severity: ___, fault, ...options } of faulty) {
      const { passed, verdicts } = await checkToolModule(module, {
        profiles: [profile],
        extensions: [interop],
        ...options,
      });
      expect([fault, passed, verdicts.find((one) => one.profile === name)?.passed]).toEqual([
        fault,
        false,
        false,
      ]);
    }
  }
});

test("APTIX-70: on the loader's path a usage text that leaves out an argument is reported", async () => {
  const source = aptixSource("return { Successful: true, Result: '{}', Errors: [] };");
  const { lines } = await opened(
    plan,
    {},
    { files: { "tool.js": source.replace("- name (string", "- nam (string") } },
  );
  const good = await opened(plan, {}, { files: { "tool.js": source } });
  const reported = (all: typeof lines) =>
    all.filter(({ message }) => message.includes("leaves out arguments"));

  expect(reported(lines)).toMatchObject([
    { level: "warn", fields: { tool: "agent_probe", arguments: ["name"] } },
  ]);
  expect(reported(good.lines)).toEqual([]);
});
