import { data, defineTool, failure } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { connectStreams, hostOf } from "./support.ts";

const schema = z.strictObject({ at: z.string().describe("A place") });

/** A tool of Tool-Forge's shape with every field that the mapping speaks of. */
function tool(name: string, category: "read" | "write", consequenceLevel: "low" | "high") {
  return defineTool({
    name,
    description: `Probes with ${name}. Use when the user asks; not otherwise.`,
    schema,
    category,
    consequenceLevel,
    requiresConfirmation: false,
    version: "1.2.3",
    execute: ({ at }) =>
      at === "gone" ? failure("there is no such place", { code: "NOT_FOUND" }) : data({ at }),
  });
}

test("FORGE-N26: a tool's fields, its data and its error have their places in MCP, and the others have none", async () => {
  const host = hostOf([tool("get_probe", "read", "low"), tool("move_probe", "write", "high")]);
  const client = await connectStreams(host, "modern");
  const { tools } = await client.listTools();
  const [get, move] = ["get_probe", "move_probe"].map((name) => tools.find((listed) => listed.name === name));
  const [ok, failed] = [
    await client.callTool({ name: "get_probe", arguments: { at: "here" } }),
    await client.callTool({ name: "get_probe", arguments: { at: "gone" } }),
  ];

  expect(get).toMatchObject({
    name: "get_probe",
    description: "Probes with get_probe. Use when the user asks; not otherwise.",
    inputSchema: {
      type: "object",
      properties: { at: { type: "string", description: "A place" } },
      required: ["at"],
    },
    annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false },
  });
  expect(move).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: true } });
  const fields = JSON.stringify({ ...get, _meta: undefined });
  for (const absent of ["requiresConfirmation", "consequenceLevel", "dependsOn", "1.2.3", "fetchedAt"])
    expect(fields).not.toContain(absent);

  expect(ok).toMatchObject({ structuredContent: { at: "here" }, content: [{ type: "text" }] });
  expect(ok.isError ?? false).toBe(false);
  expect(failed).toMatchObject({ isError: true, content: [{ type: "text" }] });
  expect(JSON.stringify(failed.content)).toContain("there is no such place");
});
