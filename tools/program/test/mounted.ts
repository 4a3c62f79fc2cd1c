import { createHost, data, defineTool, failure, type HostOptions } from "@toolmount/core";
import { config, mount, type Settings } from "@toolmount/tool-program";
import { onTestFinished } from "vitest";
import { z } from "zod";

const common = { consequenceLevel: "low", requiresConfirmation: false } as const;

/** A host with the module and five tools, a record of what they did, and a short way to run a program. */
export async function mounted(
  settings: Settings = {},
  options: HostOptions = {},
  onEnd: (close: () => void) => void = onTestFinished,
) {
  const host = createHost(options);
  onEnd(() => void host.close());
  const did: string[] = [];
  const add = defineTool({
    ...common,
    name: "add",
    description: "Adds two numbers.",
    category: "read",
    schema: z.strictObject({ a: z.number(), b: z.number() }),
    outputSchema: z.number(),
    execute: ({ a, b }) => (did.push(`add ${a} ${b}`), data(a + b)),
  });
  const send = defineTool({
    ...common,
    name: "send",
    description: "Sends a text to a person.",
    category: "side_effect",
    schema: z.strictObject({ to: z.string() }),
    execute: ({ to }) => (did.push(`send ${to}`), data({ sent: to })),
  });
  const pay = defineTool({
    ...common,
    name: "pay",
    description: "Pays a bill.",
    category: "side_effect",
    requiresConfirmation: true,
    schema: z.strictObject({ to: z.string() }),
    execute: ({ to }) => (did.push(`pay ${to}`), data({ paid: to })),
  });
  const fail = defineTool({
    ...common,
    name: "fail",
    description: "Fails.",
    category: "read",
    schema: z.strictObject({}),
    execute: () => failure("the disk is full", { code: "DISK_FULL" }),
  });
  const long = defineTool({
    ...common,
    name: "long",
    description: "Answers at length.",
    category: "read",
    schema: z.strictObject({}),
    execute: () => data("x".repeat(100_000)),
  });
  for (const tool of [add, send, pay, fail, long]) host.coordinator.mount("tools", tool);
  await mount(host.coordinator, config.parse(settings));
  const run = (source: string, sessionId?: string) =>
    host.call({ name: "run_program", arguments: { source } }, sessionId === undefined ? {} : { sessionId });
  return { host, did, run };
}
