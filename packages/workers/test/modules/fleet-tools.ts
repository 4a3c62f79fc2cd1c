// Tools for tests of fleets: each effect is a line of a file, so that a second run of a call would be seen.
import { appendFileSync } from "node:fs";
import { data, defineTool, type Coordinator, type ToolContext } from "@toolmount/core";
import { z } from "zod";

interface Arguments {
  readonly file?: string | undefined;
  readonly ms?: number | undefined;
  readonly bytes?: number | undefined;
}

const schema = z.strictObject({
  file: z.string().optional(),
  ms: z.number().optional(),
  bytes: z.number().optional(),
});

const facts = { category: "write", consequenceLevel: "low", requiresConfirmation: false } as const;

async function act({ file, ms = 0, bytes = 0 }: Arguments, context: ToolContext) {
  const { runId, abortSignal } = context;
  context.progress({ progress: 0 });
  if (file !== undefined) appendFileSync(file, `${runId}\n`);
  if (ms > 0)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      abortSignal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
  abortSignal.throwIfAborted();
  return data({ runId, text: "x".repeat(bytes) });
}

const effect = defineTool({
  name: "effect",
  description: "Writes its run id to a file. Use it in tests. Not for anything else.",
  schema,
  ...facts,
  execute: act,
});

const repeatable = defineTool({
  name: "repeatable",
  description:
    "Writes its run id to a file; a second run does no harm. Use it in tests. Not for anything else.",
  schema,
  ...facts,
  idempotent: true,
  execute: act,
});

const asks = defineTool({
  name: "asks",
  description: "Needs an approval. Use it in tests. Not for anything else.",
  schema,
  ...facts,
  requiresConfirmation: true,
  execute: act,
});

export function mount(coordinator: Coordinator): void {
  for (const tool of [effect, repeatable, asks]) coordinator.mount("tools", tool);
}
