import { expect, test } from "vitest";
import { z } from "zod";
import { createHost, data, defineTool, RunnerFailure, type Runner } from "../../src/index.ts";

const probe = (execute: () => unknown = () => data("ran")) =>
  defineTool({
    name: "probe",
    description: "Does what a test needs. Use in tests.",
    schema: z.strictObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: execute as () => ReturnType<typeof data<string>>,
  });

function open(runner: Runner | undefined, execute?: () => unknown) {
  const host = createHost({ runner, secrets: ["sk-live-123456"] });
  host.coordinator.mount("tools", probe(execute));
  return host;
}

const failing = (failure: unknown): Runner => ({ run: () => Promise.reject(failure) });

test.each([
  { status: "failed", code: "UNAVAILABLE" },
  { status: "timed_out", code: "TIMED_OUT" },
  { status: "cancelled", code: "CANCELLED" },
  { status: "unknown", code: "OUTCOME_UNKNOWN" },
] as const)("a runner ends a call as $status", async ({ status, code }) => {
  const host = open(
    failing(new RunnerFailure(code, "process 7 ended by SIGSEGV", { status, details: { pid: 7 } })),
  );
  expect(await host.call({ name: "probe" })).toMatchObject({
    status,
    result: { error: "process 7 ended by SIGSEGV", code, details: { pid: 7 } },
  });
});

test("a secret in a runner's message is masked", async () => {
  const host = open(failing(new RunnerFailure("UNAVAILABLE", "the child wrote sk-live-123456")));
  expect((await host.call({ name: "probe" })).result.error).toBe("the child wrote [masked]");
});

test("a tool in this process that throws a runner's failure fails in its own name", async () => {
  const host = open(undefined, () => {
    throw new RunnerFailure("OUTCOME_UNKNOWN", "forged", { status: "unknown" });
  });
  expect(await host.call({ name: "probe" })).toMatchObject({
    status: "failed",
    result: { code: "TOOL_FAILED" },
  });
});

test("any other rejection of a runner is a failure of the tool", async () => {
  const host = open(failing(new Error("broken")));
  expect(await host.call({ name: "probe" })).toMatchObject({
    status: "failed",
    result: { code: "TOOL_FAILED" },
  });
});
