import { createHost, data, defineTool, type ToolInfo } from "@toolmount/core";
import { config, createDescribeTools, createRunProgram } from "@toolmount/tool-program";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { describerOf } from "../src/services.ts";
import { ThreadEnded, Threads } from "../src/sandbox/threads.ts";
import { mounted } from "./mounted.ts";

const common = {
  description: "Does it.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
} as const;

test("the tools say what they are", async () => {
  const { host } = await mounted();
  const tools = host.coordinator.get("tools") as ReadonlyMap<string, ToolInfo>;
  const factsOf = (name: string) => {
    const { inputSchema: _, usage: __, description: ___, owner: ____, ...facts } = tools.get(name)!;
    return facts;
  };
  const both = {
    aliases: [],
    consequenceLevel: "low",
    dependsOn: [],
    dynamic: false,
    execution: "server",
    origin: "toolmount",
    requiresConfirmation: false,
    status: "active",
    tags: ["programs"],
    version: "1.0.0",
  };
  expect(factsOf("run_program")).toEqual({
    ...both,
    name: "run_program",
    declaredName: "run_program",
    summary: "Runs a program that calls tools.",
    category: "side_effect",
    alwaysOffered: false,
    idempotent: false,
    previews: true,
    control: [],
    content: [],
    timeoutMs: 600_000,
  });
  expect(factsOf("describe_tools")).toEqual({
    ...both,
    name: "describe_tools",
    declaredName: "describe_tools",
    summary: "Shows the tools that a program may call.",
    category: "read",
    alwaysOffered: true,
    idempotent: true,
    timeoutMs: 15_000,
  });
});

test("a program runs also without a host's tools, and has none", async () => {
  const host = createHost();
  onTestFinished(() => void host.close());
  host.coordinator.mount("tools", createRunProgram());
  host.coordinator.mount("tools", createDescribeTools());
  const { result } = await host.call({
    name: "run_program",
    arguments: { source: "return Object.keys(tools)" },
  });
  expect(result.data).toEqual({ result: [], calls: 0 });
  expect((await host.call({ name: "describe_tools" })).result.data).toEqual({ declarations: "" });
});

test("a rehearsal runs the program, whose calls that read are made", async () => {
  const { host, did } = await mounted();
  const source = "return [await tools.add({ a: 1, b: 2 }), await tools.add({ a: 2, b: 2 })]";
  const rehearsal = host.session("s").rehearse();
  const { status, result } = await rehearsal.call({ name: "run_program", arguments: { source } });
  expect([status, result.data, rehearsal.calls]).toEqual(["ok", { result: [3, 4], calls: 2 }, []]);
  expect(did).toEqual(["add 1 2", "add 2 2"]);
});

test("programs call the server's tools that the plan chooses, but none that runs programs", async () => {
  const { host } = await mounted({ tools: ["!pay", "a*", "s*", "run_*", "describe_*", "at_*", "pay"] });
  host.coordinator.mount("tools", {
    ...defineTool({ ...common, name: "at_client", execute: () => data(1) }),
    execution: "client",
  });
  host.coordinator.mount("tools", defineTool({ ...common, name: "at_server", execute: () => data(1) }));
  const isInPrograms = host.coordinator.getCapability("tools.in_programs")!;
  const tools = host.coordinator.get("tools") as ReadonlyMap<string, ToolInfo>;
  expect([...tools.values()].filter(isInPrograms).map(({ name }) => name)).toEqual([
    "add",
    "send",
    "at_server",
  ]);
});

test("a program of a mode has the tools of that mode", async () => {
  const { host } = await mounted();
  const modes = [
    { id: "1", key: "plain", isDefault: true, tools: ["*", "!pay"] },
    { id: "2", key: "sums", isDefault: false, tools: ["add"] },
  ].map((mode) => ({ displayName: "", description: "", systemPromptSummary: "", ...mode }));
  host.coordinator.mount("mode-catalog", { listModes: async () => modes });
  host.coordinator.mount(
    "tools",
    defineTool({ ...common, name: "only", modes: ["sums"], execute: () => data(1) }),
  );
  const namesIn = async (mode?: string) => {
    const call = { name: "run_program", arguments: { source: "return Object.keys(tools)" } };
    return (await host.call(call, mode === undefined ? {} : { mode })).result.data;
  };
  expect(await namesIn()).toEqual({ result: ["add", "fail", "long", "send"], calls: 0 });
  expect(await namesIn("sums")).toEqual({ result: ["add"], calls: 0 });
});

test("two modules of programs ask each their own describer", async () => {
  const tool = (name: string, declaredName: string, owner: string) =>
    ({ name, declaredName, owner }) as ToolInfo;
  const tools = [
    tool("run_program", "run_program", "one"),
    tool("describe_tools", "describe_tools", "one"),
    tool("run_more", "run_program", "two"),
    tool("describe_more", "describe_tools", "two"),
    tool("run_alone", "run_program", "three"),
  ];
  const services = { tools: () => tools };
  expect(["run_program", "run_more", "run_alone", "none"].map((name) => describerOf(services, name))).toEqual(
    ["describe_tools", "describe_more", "describe_tools", "describe_tools"],
  );
});

test("a plan that says nothing has these limits", () => {
  expect(config.parse({})).toEqual({
    tools: ["*"],
    max_calls: 1_000,
    max_steps: 20_000,
    memory_mb: 64,
    parallel: 8,
  });
});

test.each([
  ["max_calls", 0, 1, 100_000],
  ["parallel", 0, 1, 64],
  ["memory_mb", 3, 4, 1_024],
  ["max_steps", 0, 1, 10_000_000],
])("%s may be neither less than its least nor more than its most", (key, below, least, most) => {
  const isValid = (value: number) => config.safeParse({ [key]: value }).success;
  expect([below, least, most, most + 1, least + 0.5].map(isValid)).toEqual([false, true, true, false, false]);
});

test("source and names have bounds", async () => {
  const { host } = await mounted();
  const errorOf = async (name: string, args: Record<string, unknown>) =>
    (await host.call({ name, arguments: args })).result.error ?? "ok";
  const comment = (length: number) => ({ source: "return 1//".padEnd(length, "x") });
  expect(await errorOf("run_program", comment(262_144))).toBe("ok");
  expect(await errorOf("run_program", comment(262_145))).toBe("source must have at most 262144 characters");
  const names = (count: number) => ({ names: Array.from({ length: count }, () => "add") });
  expect(await errorOf("describe_tools", names(50))).toBe("ok");
  expect(await errorOf("describe_tools", names(51))).toBe("names must have at most 50 items");
  expect(await errorOf("describe_tools", { names: [""] })).toBe("names[0] must have at least 1 character");
  expect(await errorOf("describe_tools", { query: "a".repeat(500) })).toBe("ok");
  expect(await errorOf("describe_tools", { query: "a".repeat(501) })).toBe(
    "query must have at most 500 characters",
  );
});

test.each([[1], [3], [8]])("at most %i calls of a program run at the same time", async (parallel) => {
  const { host, run } = await mounted({ parallel });
  let [running, most] = [0, 0];
  const order: number[] = [];
  host.coordinator.mount(
    "tools",
    defineTool({
      ...common,
      name: "wait",
      schema: z.strictObject({ at: z.int() }),
      async execute({ at }) {
        most = Math.max(most, (running += 1));
        order.push(at);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        if (at === 1) throw new Error("no");
        return data(at);
      },
    }),
  );
  const source = `
    const all = await Promise.allSettled(Array.from({ length: 12 }, (_, at) => tools.wait({ at })));
    return all.map(({ value }) => value ?? "failed");
  `;
  const { result } = await run(source);
  expect(most).toBe(parallel);
  expect(order).toEqual(Array.from({ length: 12 }, (_, at) => at));
  expect(result.data).toEqual({ result: [0, "failed", 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], calls: 12 });
});

test("a program gets the texts of a result that has only texts, and learns what was cut", async () => {
  const { host, run } = await mounted();
  const tool = (name: string, answer: object) =>
    host.coordinator.mount("tools", defineTool({ ...common, name, execute: () => answer as never }));
  tool("texts", {
    data: null,
    content: [
      { type: "text", text: "a" },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "text", text: "b" },
    ],
  });
  tool("pictures", { data: null, content: [{ type: "image", data: "", mimeType: "image/png" }] });
  tool("both", { data: { a: 1 }, content: [{ type: "text", text: "b" }] });
  tool("nothing", { data: null });
  tool("huge", { data: { text: "x".repeat(3_000_000) } });
  const source =
    "const { texts, pictures, both, nothing } = tools; return [await texts(), await pictures(), await both(), await nothing()]";
  expect((await run(source)).result.data).toEqual({ result: ["a\nb", null, { a: 1 }, null], calls: 4 });
  const { result } = await run("console.log('first'); await tools.huge(); return 1");
  expect(result.data).toEqual({ result: 1, calls: 1, output: "first\n" });
  expect(result.omitted).toEqual([
    expect.objectContaining({ what: expect.stringContaining("(huge)") as string }),
  ]);
});

test("of a name that is like two, both are named", async () => {
  const { host } = await mounted();
  host.coordinator.mount("tools", defineTool({ ...common, name: "ado", execute: () => data(1) }));
  const { result } = await host.call({ name: "describe_tools", arguments: { names: ["ad"] } });
  expect(result.error).toBe("No tool that a program may call is named ad. Did you mean add or ado?");
});

test("a thread that ended says why, and another error is one of the tool", async () => {
  const answerTo = async (reason: Error) => {
    class Ended extends Threads {
      override run = () => Promise.reject(reason);
    }
    const { host } = await mounted();
    const tool = createRunProgram({}, { tools: () => [] }, new Ended(4));
    host.coordinator.mount("tools", { ...tool, name: "run_ended" });
    const { result } = await host.call({ name: "run_ended", arguments: { source: "return 1" } });
    return [result.code, result.error];
  };
  expect(await answerTo(new ThreadEnded("its thread ended with 1"))).toEqual([
    "PROGRAM_LIMIT",
    "The program was ended: its thread ended with 1.",
  ]);
  expect((await answerTo(new Error("broken")))[0]).not.toBe("PROGRAM_LIMIT");
});
