import { data, silentLogger } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import { aptixProfile, toInvokeResult } from "@toolmount/interop";
import { checkToolModule } from "@toolmount/testing";
import { mounting, native, onePlan, opened, refused } from "../support/decisions-world.ts";
import { mountAll, readToolPackages } from "../support/shipped-tools.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const shipped = (await mountAll(await readToolPackages())).tools();
const plan = "version: 1\ntools:\n  - module: ./tool.js\n";

/** Parts of an Aptix class; each test replaces one. */
const parts = {
  name: 'static ToolName = "agent_probe";',
  usage:
    'static ToolUsageMetadata = "agent_probe: probes. Use it when asked. Do not use it otherwise.\\n\\nArguments\\n- name (string, optional)";',
  schema: `static GetSchema() {
    const parameters = { type: "object", properties: { name: { type: "string", description: "A name" } }, required: [] };
    return { type: "function", name: "agent_probe", description: "Probes. Use when asked, not otherwise.", parameters };
  }`,
  instanceName: 'get Name() { return "agent_probe"; }',
};

function aptixClass(changed: Partial<typeof parts> = {}): string {
  return `export class ProbeTool {
  ${Object.values({ ...parts, ...changed }).join("\n  ")}
  get IsToolFullyExecutedOnServer() { return true; }
  async ExecuteAsync(text) { return { Successful: true, Result: text || "{}", Errors: [], Warnings: [], ErrorMessage: null }; }
}
`;
}

describe("APTIX-10: registration applies rules 4 to 9, logs the reason and refuses", () => {
  test("APTIX-10: a class that follows them is registered", async () => {
    const { host } = await opened(plan, {}, { files: { "tool.js": aptixClass() } });

    expect(host.tools().map(({ name }) => name)).toEqual(["agent_probe"]);
  });

  test("APTIX-10: rule 4: a class without a ToolName is refused by its name", async () => {
    const { problems } = await refused(plan, {}, { files: { "tool.js": aptixClass({ name: "" }) } });

    expect(JSON.stringify(problems)).toContain("ProbeTool");
  });

  test.each([
    ["4: an empty ToolName", { name: 'static ToolName = "";' }, "ToolName"],
    ["5: no ToolUsageMetadata", { usage: "" }, "ToolUsageMetadata"],
    ["5: an empty ToolUsageMetadata", { usage: 'static ToolUsageMetadata = "";' }, "ToolUsageMetadata"],
    ["6: a computed ToolName", { name: 'static get ToolName() { return "agent_probe"; }' }, "ToolName"],
    [
      "6: a computed ToolUsageMetadata",
      { usage: 'static get ToolUsageMetadata() { return "agent_probe: probes."; }' },
      "ToolUsageMetadata",
    ],
    [
      "7: a name with a space",
      {
        name: 'static ToolName = "agent probe";',
        instanceName: 'get Name() { return "agent probe"; }',
        schema: parts.schema.replace("agent_probe", "agent probe"),
      },
      "agent probe",
    ],
    ["8: another instance name", { instanceName: 'get Name() { return "agent_other"; }' }, "agent_other"],
    ["9: no GetSchema", { schema: "" }, "GetSchema"],
    [
      "9: a GetSchema that is not a function tool",
      { schema: "static GetSchema() { return {}; }" },
      "GetSchema",
    ],
  ])("APTIX-10: rule %s", async (_, changed, part) => {
    const { problems, lines } = await refused(plan, {}, { files: { "tool.js": aptixClass(changed) } });

    expect(JSON.stringify(problems)).toContain(part);
    expect(lines.some(({ level }) => level === "error" || level === "warn")).toBe(true);
  });
});

test("APTIX-19: a missing usage text fails the automated validation and the mount, and no shipped tool lacks one", async () => {
  const mounted = mounting(
    class ProbeTool {
      static ToolName = "agent_probe";
      static GetSchema() {
        return {
          type: "function",
          name: "agent_probe",
          description: "Probes. Use when asked, not otherwise.",
          parameters: { type: "object", properties: {}, required: [] },
        };
      }
      get Name() {
        return "agent_probe";
      }
      get IsToolFullyExecutedOnServer() {
        return true;
      }
      async ExecuteAsync() {
        return { Successful: true, Result: "{}", Errors: [], Warnings: [], ErrorMessage: null };
      }
    },
  );
  const report = await checkToolModule(mounted, { profiles: [aptixProfile], extensions: [interop] });

  expect(report.findings.map(({ rule }) => rule)).toContain("usage_constant");
  expect((await refused(onePlan, { m: mounted })).problems).toHaveLength(1);
  for (const { name, usage } of shipped) expect([name, (usage ?? "").length > 80]).toEqual([name, true]);
});

test("APTIX-36: a result has the ids of its session and conversation where it is an object, and the outcome always", async () => {
  const tool = native((params) => data(params["list"] === true ? [1] : { answer: 1 }));
  const { host } = await opened(onePlan, { m: mounting(tool) });
  const ids = { sessionId: "s-1", conversationId: "c-1" };
  const payload = async (given: object, context: object) => {
    const outcome = await host.call({ name: "probe", arguments: given as never }, context);
    expect(outcome).toMatchObject(context);
    return JSON.parse(toInvokeResult(outcome, host.tools()[0]).Result!) as unknown;
  };

  expect(await payload({}, ids)).toEqual({ SessionId: "s-1", ConversationId: "c-1", answer: 1 });
  expect(await payload({}, {})).toEqual({ SessionId: null, ConversationId: null, answer: 1 });
  expect(await payload({ list: true }, ids)).toEqual([1]);
});

describe("APTIX-47: payloads are stable JSON, and arguments and results have the shape of their schemas", () => {
  const tool = (answer: () => unknown) =>
    native(answer, {
      schema: z.strictObject({ day: z.string() }),
      outputSchema: z.strictObject({ b: z.number(), a: z.array(z.string()) }),
    });

  test("APTIX-47: the same result is the same text, twice, and reads back as it was", async () => {
    const { host } = await opened(onePlan, { m: mounting(tool(() => data({ b: 1, a: ["x"] }))) });
    const text = async () =>
      toInvokeResult(await host.call({ name: "probe", arguments: { day: "mo" } }), host.tools()[0]).Result;
    const first = await text();

    expect(await text()).toBe(first);
    expect(JSON.parse(first!)).toEqual({ b: 1, a: ["x"] });
  });

  test.each([
    ["arguments of another shape", { day: 1 }, () => data({ b: 1, a: [] }), "INVALID_ARGUMENTS"],
    [
      "an argument that the schema lacks",
      { day: "mo", night: 1 },
      () => data({ b: 1, a: [] }),
      "INVALID_ARGUMENTS",
    ],
    ["a result of another shape", { day: "mo" }, () => data({ b: "1", a: [] }), "OUTPUT_INVALID"],
    ["a result that is not JSON", { day: "mo" }, () => data({ b: 1n, a: [] } as never), "CONTRACT_VIOLATION"],
  ])("APTIX-47: %s end the call with a code", async (_, given, answer, code) => {
    const { host } = await opened(onePlan, { m: mounting(tool(answer)) });

    expect((await host.call({ name: "probe", arguments: given })).result).toMatchObject({ code });
  });
});

test("APTIX-N28: every shipped tool is named in snake case without dots, and a dotted name of Aptix is refused", async () => {
  const names = shipped.map(({ name }) => name);
  const dotted = aptixClass({
    name: 'static ToolName = "session.create";',
    instanceName: 'get Name() { return "session.create"; }',
    schema: parts.schema.replace("agent_probe", "session.create"),
  });

  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name))).toEqual([]);
  expect(
    (await refused(plan, {}, { files: { "tool.js": dotted }, logger: silentLogger })).problems,
  ).toHaveLength(1);
});
