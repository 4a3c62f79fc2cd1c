import { writeFile } from "node:fs/promises";
import {
  createHost,
  createMemoryStore,
  silentLogger,
  type AuditSink,
  type Coordinator,
} from "@toolmount/core";
import * as reasoner from "@toolmount/reasoner";
import { backtest, evaluatePlan, exportLines, readAuditedCalls, testPlan } from "@toolmount/record";
import { expect, test } from "vitest";
import { pay, planWith } from "./support/pay-plan.ts";

const rule = {
  rules: [{ match: { tool: "pay", arguments: { to: "thief" } }, answer: "deny", reason: "a thief" }],
};
const call = (to: string, answer: string) => ({ call: { pay: { to } }, expect: { answer } });

test("a program tests a plan: calls, and a rule whose change no test notices", async () => {
  const { file, options } = await planWith(rule, [call("thief", "deny"), call("ann", "allow")]);
  const run = await testPlan(file, { ...options, mutate: true });

  expect(run.calls.map(({ answer, problems }) => [answer, problems])).toEqual([
    ["deny", []],
    ["allow", []],
  ]);
  expect(run.mutants.map(({ noticed }) => noticed)).not.toContain(false);
  expect(run.mutants.length).toBeGreaterThan(0);
  expect(run.passed).toBe(true);
});

test("a test that fails is named, and a mutant that is not noticed fails the whole", async () => {
  const wrong = await planWith(rule, [call("thief", "allow")]);
  const failed = await testPlan(wrong.file, { ...wrong.options, mutate: true });
  expect(failed).toMatchObject({ passed: false, mutants: [] });
  expect(failed.calls[0]!.problems).toHaveLength(1);

  const weak = await planWith(rule, [call("ann", "allow")]);
  const missed = await testPlan(weak.file, { ...weak.options, mutate: true });
  expect(missed.calls[0]!.problems).toEqual([]);
  expect(missed.passed).toBe(false);
});

test("a program asks what another policy would have answered to recorded calls, and none of them runs", async () => {
  const host = createHost({ store: createMemoryStore({ audit: "durable" }), logger: silentLogger });
  host.coordinator.mount("tools", pay);
  for (const to of ["ann", "thief", "thief"]) await host.call({ name: "pay", arguments: { to } });
  const sink = host.coordinator.get("audit-sink") as AuditSink;

  const { file, options } = await planWith(rule);
  expect(await backtest(file, sink, options)).toMatchObject({
    judged: 3,
    changed: 2,
    groups: [{ tool: "pay", from: "allow", to: "deny", count: 2 }],
  });

  const kept = `${file}.jsonl`;
  const lines: string[] = [];
  for await (const line of exportLines(sink, "jsonl", {})) lines.push(line);
  await writeFile(kept, lines.map((line) => `${line}\n`).join(""));
  expect(await backtest(file, kept, options)).toMatchObject({ judged: 3, changed: 2 });
  await expect(backtest(file, file, options)).rejects.toMatchObject({ code: "REPLAY_INVALID" });
  const tools: string[] = [];
  for await (const { tool } of readAuditedCalls(sink, {})) tools.push(tool);
  expect(tools).toEqual(["pay", "pay", "pay"]);
});

/** The module with the tool, and a model that pays Ann and then says so, in turn. */
function payingModel(asked: string[]) {
  const answers = [
    { type: "function_call", call_id: "c1", name: "pay", arguments: '{"to":"ann"}' },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Ann is paid." }] },
  ];
  return {
    mount(coordinator: Coordinator) {
      coordinator.registerCapability("host.find_answer", (request) => {
        asked.push(request);
        return { id: "r", status: "completed", output: [answers[(asked.length - 1) % 2]!] };
      });
      return [pay];
    },
  };
}

test("a program evaluates a plan: its prompts, what was chosen, and what was not reached", async () => {
  const asked: string[] = [];
  const prompts = [
    { prompt: "Pay Ann.", expect: { calls: [{ pay: { to: "ann" } }], text: { contains: ["paid"] } } },
    { prompt: "Thanks!", label: "edge", expect: { tools: [] } },
  ];
  const { file, options } = await planWith({}, prompts, {}, { model: "m", baseUrl: "http://127.0.0.1:9/v1" });
  const extensions = { ...options.extensions, "@toolmount/reasoner": reasoner, pay: payingModel(asked) };
  const given = { ...options, extensions };

  const found = await evaluatePlan(file, { ...given, runs: 2 });
  expect(found).toMatchObject({ passed: false, summary: { runs: 4, passed: 2 } });
  expect(found.failures).toEqual(["pass rate 0.50, less than 1"]);
  expect(found.evals.map(({ runs }) => runs[0]!.problems.length)).toEqual([0, 1]);
  expect((await evaluatePlan(file, { ...given, text: "Pay" })).passed).toBe(true);
  await expect(evaluatePlan(file, { ...given, text: "Refund" })).rejects.toMatchObject({
    code: "USAGE_INVALID",
  });
});

test("a plan without an agent has no model that could be asked", async () => {
  const { file, options } = await planWith({}, [{ prompt: "Pay Ann.", expect: { tools: ["pay"] } }]);

  await expect(evaluatePlan(file, options)).rejects.toThrow("write agent: { model: … }");
});
