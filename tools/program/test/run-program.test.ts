import { createMemoryStore, data, defineTool, type ToolInfo } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createRunProgram, Threads } from "../src/index.ts";
import { mounted } from "./mounted.ts";

describe("a program", () => {
  test("calls tools, one after the other and side by side, and returns JSON", async () => {
    const { run, did } = await mounted();
    const outcome = await run(`
      const first: number = await tools.add({ a: 1, b: 2 });
      const more = await Promise.all([1, 2, 3].map((a) => tools.add({ a, b: first })));
      console.log("made", more.length, { first });
      return { first, more };
    `);
    expect(outcome.result.data).toEqual({
      result: { first: 3, more: [4, 5, 6] },
      calls: 4,
      output: 'made 3 {"first":3}\n',
    });
    expect(did).toHaveLength(4);
  });

  test("that returns nothing gets a note", async () => {
    const { run } = await mounted();
    expect((await run("await tools.send({ to: 'ada' })")).result.data).toMatchObject({
      result: null,
      calls: 1,
    });
  });

  test("is TypeScript also where JavaScript reads the same text otherwise", async () => {
    const { run } = await mounted();
    const source = "const number = 1, id = (x) => x; return [id<number>(7), id < number > (7)]";
    expect((await run(source)).result.data).toMatchObject({ result: [7, 7] });
  });

  test("that closes its function early computes and calls nothing beyond its bounds", async () => {
    const { run, did } = await mounted({ max_calls: 3 });
    const { result } = await run("}); tools.add({ a: 1, b: 1 }); (async () => {");
    expect(result.code).not.toBe("TOOL_FAILED");
    expect(did.length).toBeLessThanOrEqual(1);
  });

  test("catches the failure of a call, with its code", async () => {
    const { run } = await mounted();
    const { result } = await run(
      "try { await tools.fail() } catch (error) { return [error.name, error.message, error.code, error.tool] }",
    );
    expect(result.data).toMatchObject({
      result: ["ToolError", expect.stringContaining("disk is full"), "DISK_FULL", "fail"],
    });
  });

  test.each([
    [
      "an unknown tool",
      "const a = 1;\nawait tools.ad({ a })",
      'TypeError: there is no tool "ad"; did you mean add? (line 2',
    ],
    ["wrong arguments", "\n\nreturn await tools.add({ a: 'x', b: 1 })", "ToolError: "],
    ["an uncaught failure", "await tools.fail()", "(line 1"],
    ["a syntax error", "const a = 1;\nlet b = ;", "SyntaxError: Expression expected (line 2:9: let b = ;)"],
    [
      "a type that cannot be stripped",
      "enum A { B }",
      "such as a constant object for an enum (line 1:1: enum A { B })",
    ],
    ["a thrown text", "throw 'no'", "Error: no"],
    ["a cycle", "const a = {};\na.a = a;\nreturn a", "no JSON: circular reference (line 3:1: return a)"],
    ["a BigInt", "return 1n", "no JSON: a BigInt; return Number(value) or String(value) (line 1:1"],
    [
      "a Map",
      "return { all: new Map() }",
      "no JSON: a Map; return Object.fromEntries(map) or [...map] (line 1",
    ],
    ["a function", "if (1 > 2) return 1;\nreturn () => 1", "no JSON: a function"],
    [
      "a tool without tools",
      "\n\nreturn await add({})",
      "did you mean tools.add? (line 3:14: return await add",
    ],
    ["a late mistake", "const a = tools.add({ a: 1, b: 1 });\nreturn a.x.y", "'y' of undefined (line 2:12:"],
    ["a time without a session", "return Date.now()", "only when the call has a session (line 1"],
    ["an import", "await import('node:fs')", "ReferenceError: "],
    [
      "a second argument list",
      "await tools.add(1, 2)",
      "TypeError: tools.add takes one object with its arguments (line 1",
    ],
  ])("with %s fails, and says where", async (_, source, said) => {
    const { run } = await mounted();
    const { status, result } = await run(source);
    expect([status, result.code, result.error]).toEqual([
      "failed",
      "PROGRAM_FAILED",
      expect.stringContaining(said),
    ]);
  });

  test.each([
    ["an endless loop", "const a = 1;\nwhile (true) {}", "such as the one (line 2:1: while (true) {})."],
    ["an endless loop of promises", "for (;;) await null", "computed for too long"],
    ["too much memory", "const a = []; for (;;) a.push({ a })", "too much memory"],
    ["too long texts", "const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)", "too much memory"],
    ["too many buffers", "const a = []; for (;;) a.push(new Uint8Array(65_536))", "too much memory"],
    ["a promise that nothing resolves", "await new Promise(() => {})", "that nothing resolves"],
    [
      "too many calls",
      "for (let a = 0; a < 11; a++) await tools.add({ a, b: 1 }); return 1",
      "more than 10 calls",
    ],
    ["a result without end", "return 'x'.repeat(5e6)", "4 million characters"],
  ])("with %s ends", async (_, source, said) => {
    const { run } = await mounted({ max_calls: 10, max_steps: 500, memory_mb: 32 });
    const { status, result } = await run(source);
    expect([status, result.code, result.error]).toEqual([
      "failed",
      "PROGRAM_LIMIT",
      expect.stringContaining(said),
    ]);
  });

  test("finds and describes tools", async () => {
    const { run, host } = await mounted({ tools: ["*", "!pay"] });
    const { result } = await run("return [await findTools('send a message'), await describeTools(['add'])]");
    expect(result.data).toMatchObject({
      result: [
        "/** Sends a text to a person. */\nsend(arguments: { to: string }): Promise<any>;",
        "/** Adds two numbers. */\nadd(arguments: { a: number; b: number }): Promise<number>;",
      ],
    });
    const all = await host.call({ name: "describe_tools" });
    expect(all.result.data).toMatchObject({ declarations: expect.not.stringContaining("pay(") });
    const one = await host.call({ name: "describe_tools", arguments: { names: ["ad"] } });
    expect(one.result.error).toContain("Did you mean add?");
    expect((await run("return 'pay' in tools")).result.data).toMatchObject({ result: false });
  });

  test("asks about tools with calls, which fail as calls do", async () => {
    const { run } = await mounted();
    const source = "try { await describeTools('ad') } catch (error) { return [error.code, error.message] }";
    expect((await run(source)).result.data).toEqual({
      result: ["NO_SUCH_TOOL", "No tool that a program may call is named ad. Did you mean add?"],
      calls: 1,
    });
    expect((await run("await findTools('')")).result.error).toMatch(/^ToolError: .*query.*\(line 1/);
  });

  test("that makes too many calls has the outcome of each that it made", async () => {
    const { run, did } = await mounted({ max_calls: 5, parallel: 2 });
    const { result } = await run(
      "return Promise.all(Array.from({ length: 9 }, (_, a) => tools.add({ a, b: 1 })))",
    );
    expect([result.code, did.length]).toEqual(["PROGRAM_LIMIT", 5]);
  });

  test("waits for a place where many run at the same time, and can be cancelled there", async () => {
    const { host, run } = await mounted();
    const many = Array.from({ length: 40 }, (_, a) => run(`return tools.add({ a: ${a}, b: 1 })`));
    const stop = new AbortController();
    const source = "return 1";
    const last = host.call({ name: "run_program", arguments: { source } }, { abortSignal: stop.signal });
    stop.abort();
    expect(await last).toMatchObject({ status: "cancelled" });
    const results = (await Promise.all(many)).map(({ result }) => (result.data as { result: number }).result);
    expect(results).toEqual(Array.from({ length: 40 }, (_, a) => a + 1));
  });

  test("that has broken its engine calls only what programs may", async () => {
    class Broken extends Threads {
      override async run(_: unknown, call: Parameters<Threads["run"]>[1]) {
        const ask = (name: string) => call({ id: 1, name, arguments: '{"to":"x"}', line: null });
        const answers = [await ask("pay"), await ask("run_program"), await ask("send")];
        return { end: { value: JSON.stringify(answers) }, output: "" };
      }
    }
    const { host, did } = await mounted({ tools: ["*", "!pay"] });
    const tools = host.coordinator.get("tools") as ReadonlyMap<string, ToolInfo>;
    const services = { tools: () => tools.values() };
    const tool = createRunProgram({ tools: ["*", "!pay"] }, services, new Broken(4));
    host.coordinator.mount("tools", { ...tool, name: "run_broken" });
    const { result } = await host.call({ name: "run_broken", arguments: { source: "return 1" } });
    expect((result.data as { result: object[] }).result).toMatchObject([
      { code: "NO_SUCH_TOOL" },
      { code: "NO_SUCH_TOOL" },
      { data: '{"sent":"x"}' },
    ]);
    expect(did).toEqual(["send x"]);
  });

  test("does not start programs", async () => {
    const { run } = await mounted();
    expect((await run("return await tools.run_program({ source: '1' })")).result.error).toContain(
      "there is no tool",
    );
  });

  test("sees a time that stands still, and shares nothing with the next one", async () => {
    const { run } = await mounted();
    const first = await run(
      "globalThis.left = 1; Array.prototype.left = 2; return Date.now() === +new Date()",
      "s",
    );
    expect(first.result.data).toMatchObject({ result: true });
    expect((await run("return [typeof left, [].left ?? null]")).result.data).toMatchObject({
      result: ["undefined", null],
    });
  });
});

describe("a call of a program that needs a person", () => {
  const source = `
    const before = await tools.send({ to: "ada" });
    await tools.add({ a: Math.random(), b: Date.now() });
    const paid = await tools.pay({ to: "acme" });
    return { before, paid, after: await tools.send({ to: "bob" }) };
  `;

  test("makes the program wait; then it continues, and nothing runs twice", async () => {
    const { host, run, did } = await mounted({}, { store: createMemoryStore() });
    const waits = await run(source, "s");
    expect([waits.status, did]).toEqual(["pending", ["send ada", expect.stringContaining("add 0.")]]);
    const [question] = await host.approvals.list();
    expect(question).toMatchObject({
      tool: "pay",
      arguments: { to: "acme" },
      place: {
        tool: "run_program",
        line: 4,
        code: 'const paid = await tools.pay({ to: "acme" });',
        after: 2,
      },
    });
    await host.approvals.decide(question!.id, "approve", "eve");
    const done = await host.resume(waits.ticket!, { sessionId: "s" });
    expect(done.result.data).toMatchObject({ result: { paid: { paid: "acme" } }, calls: 4 });
    expect(did).toEqual(["send ada", expect.stringContaining("add 0."), "pay acme", "send bob"]);
  });

  test("leaves the program with the tools that it found before, whatever is mounted since", async () => {
    const { host, run } = await mounted({}, { store: createMemoryStore() });
    const find = 'const found = await findTools("send a text");';
    const waits = await run(`${find} await tools.pay({ to: "acme" }); return found`, "s");
    const [question] = await host.approvals.list();
    expect(question?.place).toMatchObject({ after: 1 });
    host.coordinator.mount(
      "tools",
      defineTool({
        name: "send_later",
        description: "Sends a text later.",
        category: "side_effect",
        consequenceLevel: "low",
        requiresConfirmation: false,
        schema: z.strictObject({}),
        execute: () => data(null),
      }),
    );
    expect((await run(`${find} return found`, "s")).result.data).toMatchObject({
      result: expect.stringContaining("send_later("),
      calls: 1,
    });
    await host.approvals.decide(question!.id, "approve", "eve");
    const done = await host.resume(waits.ticket!, { sessionId: "s" });
    expect(done.result.data).toMatchObject({
      result: "/** Sends a text to a person. */\nsend(arguments: { to: string }): Promise<any>;",
      calls: 2,
    });
  });

  test("is denied to the program, which can catch it", async () => {
    const { host, run, did } = await mounted({}, { store: createMemoryStore() });
    const waits = await run(
      "try { await tools.pay({ to: 'acme' }) } catch (error) { return error.code }",
      "s",
    );
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "deny", "eve");
    const done = await host.resume(waits.ticket!, { sessionId: "s" });
    expect([done.result.data, did]).toEqual([{ result: "DENIED", calls: 1 }, []]);
  });
});
