import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, data, defineTool, type Host } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { startProvider, type ProviderApi, type ProviderScript } from "@toolmount/testing/providers";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { exec } from "../../support/exec.ts";
import { nodeFlags } from "../../support/program.ts";

/** A model that reads a note, then wipes a folder, then reports: one step in each answer. */
const readsAndWipes: ProviderScript = (at) => {
  if (at === 0) return { calls: [{ id: "call_1", name: "read_note", arguments: '{"id":"n-1"}' }] };
  if (at === 1) return { calls: [{ id: "call_2", name: "wipe", arguments: '{"folder":"old"}' }] };
  return { text: "The folder is gone." };
};

/** A picture of one pixel, base64. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A document with one empty page, base64. */
export const pdf = btoa(
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj " +
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF",
);

/** A store that hosts of several processes share, a strict server of a model, and what the tools did. */
export async function agentWorld(api: ProviderApi, script: ProviderScript = readsAndWipes) {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-agents-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await startProvider(api, script);
  onTestFinished(async () => {
    await server.close();
    expect(server.broken, api.name).toEqual([]);
  });
  const ran: string[] = [];
  const open = async () => {
    const store = await openStore("sqlite:./state.db", { folder });
    const host = createHost({ store });
    onTestFinished(async () => {
      await host.close();
      await store.close();
    });
    mountTools(host, ran);
    return host;
  };
  /** Another process answers all open questions. Returns the tools that were asked about. */
  const decide = async (decision: "approve" | "deny" = "approve") => {
    const program = join(import.meta.dirname, "decide-process.ts");
    const words = [...nodeFlags, program, folder, decision];
    return (await exec(process.execPath, words, { cwd: import.meta.dirname })).trim();
  };
  return { folder, server, open, decide, ran };
}

function mountTools({ coordinator }: Host, ran: string[]): void {
  coordinator.mount(
    "tools",
    defineTool({
      name: "read_note",
      description: "Reads a note. Use in tests.",
      schema: z.strictObject({ id: z.string() }),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: async ({ id }) => {
        ran.push(`read ${id}`);
        return {
          ...data({ text: `note ${id}` }),
          content: [{ type: "image", mimeType: "image/png", data: png }],
        };
      },
    }),
  );
  coordinator.mount(
    "tools",
    defineTool({
      name: "wipe",
      description: "Wipes a folder. Use in tests.",
      schema: z.strictObject({ folder: z.string() }),
      category: "delete",
      consequenceLevel: "high",
      requiresConfirmation: true,
      execute: async ({ folder }) => {
        ran.push(`wipe ${folder}`);
        return data({ wiped: folder });
      },
    }),
  );
}

/** A value as another process reads it. */
export function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
