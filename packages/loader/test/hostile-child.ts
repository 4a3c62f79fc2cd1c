// Opens each plan that it is given, and reports how that ended: a line of JSON each. Run by `hostile-plans.process.test.ts`.
import { readFile } from "node:fs/promises";
import { silentLogger } from "@toolmount/core";
import { z } from "zod";
import { openHost } from "../src/index.ts";

const calc = {
  name: "calc",
  description: "Does nothing. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({ x: z.int().default(1) }),
  execute: () => ({ data: null }),
};

const members = Object.getOwnPropertyNames(Object.prototype).length;
const unhandled: unknown[] = [];
process.on("unhandledRejection", (error) => unhandled.push(String(error)));

/** The secret is in the environment of the plans. A line here that contains it is a leak. */
const env = { SECRET: "canary-5f2e91c7", LOOP: "${LOOP}" };

async function open(plan: string): Promise<object> {
  try {
    const extensions = { calc: { mount: () => calc } };
    const host = await openHost(plan, { env, extensions, logger: silentLogger });
    await host.close();
    return { end: "opened", names: host.status().entries.length };
  } catch (error) {
    const { code, message, details } = error as {
      code?: string;
      message: string;
      details?: { problems?: unknown[]; file?: string; line?: number };
    };
    const { problems, file, line } = details ?? {};
    return { end: code ?? "THREW", message, problems, file, line };
  }
}

for (const plan of process.argv.slice(2)) {
  const bytes = (await readFile(plan)).length;
  process.stdout.write(
    `${JSON.stringify({
      plan,
      bytes,
      ...(await open(plan)),
      polluted:
        ({} as { polluted?: unknown }).polluted ?? (globalThis as { polluted?: unknown }).polluted ?? null,
      grown: Object.getOwnPropertyNames(Object.prototype).length - members,
      unhandled,
    })}\n`,
  );
}
