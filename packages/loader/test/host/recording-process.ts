// A host that makes six calls, some at once, and records them: recording-process.ts <file>. Prints how the calls ended, and
// what the host reported.
import { argv, stdout } from "node:process";
import { openHost } from "@toolmount/loader";
import { silentLogger } from "@toolmount/core";
import { z } from "zod";

const errors: string[] = [];
const logger = {
  ...silentLogger,
  error: (_: unknown, text: string) => void errors.push(text),
  child: () => logger,
};
const echo = {
  name: "echo",
  description: "Echoes. Use in tests.",
  schema: z.object({ text: z.string() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async ({ text }: { readonly text: string }) => ({ data: text }),
};
const statuses: string[] = [];
try {
  const options = { logger, extensions: { m: { tool: echo } }, record: argv[2]! };
  const host = await openHost({ tools: [{ module: "m" }] }, options);
  const call = async (at: number) => {
    const { status } = await host.call({ name: "echo", arguments: { text: `${at}` } });
    statuses.push(status);
  };
  for (const at of [1, 3, 5]) await Promise.all([call(at), call(at + 1)]);
  await host.close();
} catch (error) {
  errors.push((error as { readonly code: string }).code);
}
stdout.write(JSON.stringify({ statuses, errors }));
