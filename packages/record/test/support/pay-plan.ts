import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { data, defineTool, silentLogger } from "@toolmount/core";
import * as policy from "@toolmount/policy";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** A tool that pays; no test of a plan runs it. */
export const pay = defineTool({
  name: "pay",
  description: "Pays. Use in tests.",
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: false,
  schema: z.strictObject({ to: z.string() }),
  execute: () => data("paid"),
});

/** A plan in a folder of its own, with that tool, these rules and these tests. */
export async function planWith(
  rules: object,
  tests: readonly object[] = [],
  more: Readonly<Record<string, string>> = {},
  agent?: object,
) {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-record-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const plan = {
    version: 1,
    tools: [{ module: "pay" }],
    policy: { level: "autonomous", ...rules },
    tests,
    agent,
  };
  const file = join(folder, "plan.json");
  await writeFile(file, JSON.stringify(plan));
  for (const [name, text] of Object.entries(more)) await writeFile(join(folder, name), text);
  const extensions = { pay: { mount: () => [pay] }, "@toolmount/policy": policy };
  return { file, options: { logger: silentLogger, extensions } };
}
