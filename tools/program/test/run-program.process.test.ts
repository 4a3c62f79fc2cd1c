import { createMemoryStore, data, defineTool, systemClock, type ToolInfo } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
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

  test("is TypeScript also where JavaScript reads the same text otherwise", async () => {
    const { run } = await mounted();
    const source = "const number = 1, id = (x) => x; return [id<number>(7), id < number > (7)]";
    expect((await run(source)).result.data).toEqual({ result: [7, 7], calls: 0 });
  });

  test("that closes its function early computes and calls nothing beyond its bounds", async () => {
    const { run, did } = await mounted({ max_calls: 3 });
    const { result } = await run("}); tools.add({ a: 1, b: 1 }); (async () => {");
    expect(result.code).not.toBe("TOOL_FAILED");
    expect(did.length).toBeLessThanOrEqual(1);
  });

  test("finds and describes the tools that it may call", async () => {
    const { run, host } = await mounted({ tools: ["*", "!pay", "!long"] });
    const send = "/** Sends a text to a person. */\nsend(arguments: { to: string }): Promise<any>;";
    const add = "/** Adds two numbers. */\nadd(arguments: { a: number; b: number }): Promise<number>;";
    const { result } = await run("return [await findTools('send a message'), await describeTools(['add'])]");
    expect(result.data).toEqual({ result: [send, add], calls: 2 });
    expect((await run("return 'pay' in tools")).result.data).toEqual({ result: false, calls: 0 });
    const described = async (args: Record<string, unknown>) => {
      const answer = (await host.call({ name: "describe_tools", arguments: args })).result;
      return answer.data ?? { error: answer.error, code: answer.code };
    };
    const fail = "/** Fails. */\nfail(arguments?: {}): Promise<any>;";
    expect(await described({})).toEqual({ declarations: [add, fail, send].join("\n") });
    expect(await described({ names: ["send", "add"] })).toEqual({
      declarations: [send, add].join("\n"),
    });
    expect(await described({ query: "fails" })).toEqual({ declarations: fail });
    const named = (name: string, hint: string) => ({
      error: `No tool that a program may call is named ${name}.${hint}`,
      code: "NO_SUCH_TOOL",
    });
    expect(await described({ names: ["ad"] })).toEqual(named("ad", " Did you mean add?"));
    expect(await described({ names: ["add", "pay"] })).toEqual(named("pay", ""));
  });

  test("asks about tools with calls, which fail as calls do", async () => {
    const { run } = await mounted();
    const source = "try { await describeTools('ad') } catch (error) { return [error.code, error.message] }";
    expect((await run(source)).result.data).toEqual({
      result: ["NO_SUCH_TOOL", "No tool that a program may call is named ad. Did you mean add?"],
      calls: 1,
    });
  });

  test("that makes too many calls has the outcome of each that it made", async () => {
    const { run, did } = await mounted({ max_calls: 5, parallel: 2 });
    const { result } = await run(
      "return Promise.all(Array.from({ length: 9 }, (_, a) => tools.add({ a, b: 1 })))",
    );
    expect([result.code, did.length]).toEqual(["PROGRAM_LIMIT", 5]);
  });

  test("that has broken its engine calls only what programs may", async () => {
    class Broken extends Threads {
      override async run(_: unknown, call: Parameters<Threads["run"]>[1]) {
        const ask = (name: string) => call({ id: 1, name, arguments: '{"to":"x"}', line: null });
        const answers = [await ask("pay"), await ask("run_program"), await ask("send"), await ask("add")];
        return { end: { value: JSON.stringify(answers) }, output: "" };
      }
    }
    const { host, did } = await mounted({ tools: ["*", "!pay"] });
    const tools = host.coordinator.get("tools") as ReadonlyMap<string, ToolInfo>;
    const services = { tools: () => tools.values() };
    const tool = createRunProgram({ tools: ["*", "!pay"] }, services, new Broken(4));
    host.coordinator.mount("tools", { ...tool, name: "run_broken" });
    const { result } = await host.call({ name: "run_broken", arguments: { source: "return 1" } });
    const none = { type: "answer", id: 1, error: "it is no tool of programs", code: "NO_SUCH_TOOL" };
    expect(result.data).toEqual({
      result: [
        none,
        none,
        { type: "answer", id: 1, data: '{"sent":"x"}' },
        {
          type: "answer",
          id: 1,
          error: 'invalid arguments: a is required; b is required; Unrecognized key: "to"',
          code: "INVALID_ARGUMENTS",
        },
      ],
      calls: 4,
    });
    expect(did).toEqual(["send x"]);
  });

  test("sees a time that stands still, and shares nothing with the next one", async () => {
    const { run } = await mounted();
    const first = await run(
      "globalThis.left = 1; Array.prototype.left = 2; return Date.now() === +new Date()",
      "s",
    );
    expect(first.result.data).toEqual({ result: true, calls: 0 });
    expect((await run("return [typeof left, [].left ?? null]")).result.data).toEqual({
      result: ["undefined", null],
      calls: 0,
    });
  });

  test("of a session has the clock of its host, and no other one has", async () => {
    const { host } = await mounted();
    const threads = new Threads(4);
    onTestFinished(() => threads.close());
    const at = Date.UTC(2026, 0, 2);
    const tool = createRunProgram({}, { tools: () => [] }, threads, { ...systemClock, now: () => at });
    host.coordinator.mount("tools", { ...tool, name: "run_at" });
    const source = "return [new Date(), Date(), Date.now(), typeof Math.random()]";
    const run = (options: object) => host.call({ name: "run_at", arguments: { source } }, options);
    expect((await run({ sessionId: "s" })).result.data).toEqual({
      result: ["2026-01-02T00:00:00.000Z", expect.stringMatching(/^Fri Jan 02 2026/), at, "number"],
      calls: 0,
    });
    expect((await run({})).result.code).toBe("PROGRAM_FAILED");
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

  test.each([
    [
      "a function's name",
      'const o = { ["program.ts:2:1"]: async () => tools.pay({ to: "mallory" }) };\nawait o["program.ts:2:1"]();',
      1,
    ],
    [
      "a name of two lines",
      'const o = { ["a (program.ts:3:1)\\n    at b"]: () => tools.pay({ to: "mallory" }) };\nawait Object.values(o)[0]();',
      1,
    ],
    [
      "a stack of its own",
      'Error = class { stack = "at program.ts:3:1" };\nawait tools.pay({ to: "mallory" });',
      2,
    ],
    [
      "a formatter of stacks",
      'try { Error.prepareStackTrace = () => "at program.ts:3:1" } catch {}\nawait tools.pay({ to: "mallory" });',
      2,
    ],
    [
      "sites that lie",
      'try { Object.getPrototypeOf(new Error()).toString = () => "" } catch {}\nNumber.prototype.toString = () => "3";\nawait tools.pay({ to: "mallory" });',
      3,
    ],
    ["a carriage return in a comment", '// pays only bob\rawait tools.pay({ to: "mallory" });', 2],
  ])("shows the line of the call, whatever the program does with %s", async (_, text, line) => {
    const { host, run } = await mounted({}, { store: createMemoryStore() });
    expect((await run(text, "s")).status).toBe("pending");
    const [question] = await host.approvals.list();
    expect(question?.arguments).toEqual({ to: "mallory" });
    expect(question?.place).toMatchObject({
      line,
      code: expect.stringContaining('tools.pay({ to: "mallory" })'),
    });
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
