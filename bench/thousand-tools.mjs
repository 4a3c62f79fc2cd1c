// 1,000 tools in this process: in a host, or as Zod schemas with their JSON Schemas. Prints the processor time that they
// took in microseconds, imports included, or the bytes of the heap after a collection.
// Use: node --expose-gc thousand-tools.mjs host|zod time|memory
import { z } from "zod";

const [, , side, measure] = process.argv;

const kept = side === "host" ? await mountAll() : listAll();
if (measure === "memory") globalThis.gc();
const { user, system } = process.cpuUsage();
console.log(measure === "memory" ? process.memoryUsage().heapUsed : user + system);
if (kept.tools.length !== 1_000) process.exitCode = 1;

/** A new schema for each tool, as in a real set of tools. */
function schemaOf(at) {
  return z.strictObject({
    path: z.string().min(1).describe(`Relative to folder ${at}`),
    limit: z.int().min(1).max(500).default(50).describe("How many lines"),
    kind: z.enum(["note", "list", "page"]),
  });
}

function listAll() {
  const tools = Array.from({ length: 1_000 }, (_, at) => {
    const schema = schemaOf(at);
    const inputSchema = z.toJSONSchema(schema, { io: "input" });
    return { name: `read_note_${at}`, description: descriptionOf(at), schema, inputSchema };
  });
  return { tools };
}

async function mountAll() {
  const { createHost, data, defineTool } = await import("@toolmount/core");
  const host = createHost();
  for (let at = 0; at < 1_000; at++)
    host.coordinator.mount(
      "tools",
      defineTool({
        name: `read_note_${at}`,
        description: descriptionOf(at),
        schema: schemaOf(at),
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        execute: () => data({ at }),
      }),
    );
  // A host prints a JSON Schema when it is first read; here all are read, as when a model is offered all tools.
  const tools = host.tools();
  return { host, tools, schemas: tools.map(({ inputSchema }) => inputSchema) };
}

function descriptionOf(at) {
  return `Reads one note of folder ${at}. Use when the user names a note. To find notes, search instead.`;
}
