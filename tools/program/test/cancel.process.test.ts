import { data, defineTool } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { mounted } from "./mounted.ts";

/** A host with a tool that does something, and then answers. */
async function withTool(work: () => void | Promise<void>) {
  const opened = await mounted();
  opened.host.coordinator.mount(
    "tools",
    defineTool({
      name: "poke",
      description: "Does something to the host.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: async () => (await work(), data("done")),
    }),
  );
  return opened;
}

test("a program that is cancelled while it waits ends, and nothing of it is left", async () => {
  const caller = new AbortController();
  const { host, did } = await withTool(() => caller.abort());
  const source = "await tools.poke(); for (;;) await tools.add({ a: 1, b: 1 })";
  const { status } = await host.call(
    { name: "run_program", arguments: { source } },
    { abortSignal: caller.signal },
  );

  expect(status).toBe("cancelled");
  const made = did.length;
  expect(await host.close()).toMatchObject({ abandoned: [] });
  expect(did).toHaveLength(made);
});

test("a program that is cancelled before it begins runs nothing", async () => {
  const { host, did } = await mounted();
  const source = "await tools.add({ a: 1, b: 1 })";
  const call = { name: "run_program", arguments: { source } };

  expect(await host.call(call, { abortSignal: AbortSignal.abort() })).toMatchObject({ status: "cancelled" });
  expect(did).toEqual([]);
});

test("a program of a session has chance, which is new for the next one", async () => {
  const { run } = await mounted();
  const source = "return [Math.random(), Math.random()]";
  const values = async (sessionId: string) =>
    ((await run(source, sessionId)).result.data as { result: number[] }).result;
  const [first, second] = [await values("s"), await values("s")];

  expect(new Set([...first, ...second]).size).toBe(4);
});
