import { createHost, createMemoryStore, data, defineTool, type Host } from "@toolmount/core";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** What `scan` returns beside its data: an image, a document, a text file, and what no model reads. */
const scanned = [
  { type: "image", mimeType: "image/png", data: "aGVsbG8=" },
  { type: "file", uri: "file:///letters/a.pdf", data: "JVBERi0x" },
  { type: "file", uri: "file:///letters/a.txt", text: "Dear Ada" },
  { type: "image", mimeType: "image/tiff", data: "aGVsbG8=" },
] as const;

/** What models read in place of the last two. */
export const unseen = ["The file a.txt:\nDear Ada", "(an image of the type image/tiff)"];

/** A tool that asks a person, one that does not, one with images and files, and one that fails. */
const tools = [
  { name: "pay", requiresConfirmation: true, execute: async ({ to }: { to: string }) => data(`pay ${to}`) },
  {
    name: "look",
    requiresConfirmation: false,
    execute: async ({ to }: { to: string }) => data({ seen: to }),
  },
  {
    name: "scan",
    requiresConfirmation: false,
    execute: async () => ({ ...data("a letter"), content: [...scanned] }),
  },
  {
    name: "fail",
    requiresConfirmation: false,
    execute: async () => ({ error: "no paper", code: "NO_PAPER" }),
  },
] as const;

/** Hosts of one store, as those of several processes are, and what their tools were called with. */
export function agentWorld() {
  const store = createMemoryStore();
  const ran: string[] = [];
  const open = (): Host => {
    const host = createHost({ store });
    onTestFinished(async () => void (await host.close()));
    for (const { name, requiresConfirmation, execute } of tools)
      host.coordinator.mount(
        "tools",
        defineTool({
          name,
          description: `Tries to ${name}. Use in tests. Not for others.`,
          schema: z.strictObject({ to: z.string(), note: z.string().optional() }),
          category: "side_effect",
          consequenceLevel: "low",
          requiresConfirmation,
          execute: async (params) => {
            ran.push(`${name} ${params.to}`);
            return execute(params);
          },
        }),
      );
    return host;
  };
  const host = open();
  /** An approver of the host answers the open question. */
  const decide = async (decision: "approve" | "deny", reason?: string) => {
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, { decision, reason }, "ann");
  };
  return { open, host, ran, decide };
}
