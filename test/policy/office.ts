import { data, type Coordinator, type ToolDefinition } from "@toolmount/core";
import { foreignDefinition } from "@toolmount/core/modules";
import { z } from "zod";

const text = z.string();
const reads = { category: "read", consequenceLevel: "low", requiresConfirmation: false } as const;
const writes = { category: "write", consequenceLevel: "medium", requiresConfirmation: false } as const;
const acts = { category: "side_effect", consequenceLevel: "high", requiresConfirmation: false } as const;

function tool(name: string, fields: Partial<ToolDefinition>, shape: z.ZodRawShape): ToolDefinition {
  return {
    name,
    description: "Does what an office needs. Use it in tests.",
    schema: z.strictObject(shape),
    execute: () => data({ done: true }),
    ...reads,
    ...fields,
  };
}

const tools: readonly ToolDefinition[] = [
  tool("read_file", {}, { path: text }),
  tool("search_mail", { tags: ["mail"] }, { query: text }),
  tool("query_db", { tags: ["database"] }, { sql: text }),
  tool("web_fetch", { tags: ["network"] }, { url: text }),
  tool("write_file", writes, { path: text, content: text.optional() }),
  tool("create_event", { ...writes, tags: ["calendar"] }, { title: text, people: z.array(text).default([]) }),
  tool("delete_file", { category: "delete", consequenceLevel: "high" }, { path: text }),
  tool("bash", { ...acts, tags: ["shell"], requiresConfirmation: true }, { command: text }),
  tool("send_mail", { ...acts, tags: ["network", "mail"] }, { to: z.array(text), subject: text.optional() }),
  tool("send_money", { ...acts, requiresConfirmation: true }, { to: text, amount: z.number() }),
  tool("order", { ...acts, tags: ["shop"] }, { item: text, price: z.number(), quantity: z.int().default(1) }),
  tool("deploy", acts, { to: z.enum(["test", "live"]) }),
];

/** The tools of an office, for wishes about what they may do. */
export function mount(coordinator: Coordinator): void {
  for (const one of tools) coordinator.mount("tools", one);
  // Of a library that classifies nothing.
  const { category: _, ...unsaid } = tool("old_script", { requiresConfirmation: true }, { name: text });
  coordinator.mount("tools", foreignDefinition(unsaid));
}
