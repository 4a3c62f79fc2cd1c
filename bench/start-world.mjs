// Real packages on disk, generated into a temporary folder that is gone when the process ends.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const installed = join(import.meta.dirname, "node_modules");

/** A folder with a plan of `packages` packages of `tools` tools each, in which core, the loader and zod are installed. */
export function generateWorld({ packages, tools, waitMs = 0 }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-bench-")));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "node_modules/@toolmount"), { recursive: true });
  const install = (name, source) => symlinkSync(realpathSync(source), join(folder, "node_modules", name));
  for (const name of ["@toolmount/core", "@toolmount/loader", "zod"]) install(name, join(installed, name));
  const names = Array.from({ length: packages }, (_, at) => `@bench/tool-${at}`);
  for (const [at, name] of names.entries()) writePackage(folder, name, at, tools, waitMs);
  const path = (name) => join(folder, name);
  const write = (name, text) => writeFileSync(path(name), text);
  write("plan.yaml", planOf(names));
  return { folder, install, names, path, write };
}

/** The plan of packages by their names; `last` is what the last one's config says. */
export function planOf(names, last = "notes") {
  const entries = names.map((name, at) => {
    const root = at === names.length - 1 ? last : "notes";
    return `  - module: "${name}"\n    config: { root: ./${root} }\n`;
  });
  return `version: 1\nname: bench\ntools:\n${entries.join("")}`;
}

const jsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    path: { type: "string", description: "Relative to the folder" },
    limit: { type: "integer", minimum: 1, maximum: 500, default: 50 },
    kind: { type: "string", enum: ["note", "list", "page"] },
  },
  required: ["path", "kind"],
  additionalProperties: false,
};

const description =
  "Reads one note of a folder. Use when the user names a note. To find notes, search instead.";
const classes = { category: "read", consequenceLevel: "low", requiresConfirmation: false };

function writePackage(folder, name, at, count, waitMs) {
  const home = join(folder, "node_modules", name);
  mkdirSync(home, { recursive: true });
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `read_note_${at}_${index}`,
    description,
    inputSchema: jsonSchema,
    ...classes,
  }));
  const toolmount = { type: "tool", mounts: ["tools"], static: true, provides: [], needs: [], tools };
  const facts = { name, version: "1.0.0", type: "module", exports: "./index.js", toolmount };
  writeFileSync(join(home, "package.json"), JSON.stringify(facts, null, 2));
  writeFileSync(join(home, "index.js"), sourceOf(tools, waitMs));
}

function sourceOf(tools, waitMs) {
  return `import { data, defineTool } from "@toolmount/core";
import { z } from "zod";

export const config = z.strictObject({ root: z.string() });

export function mount(coordinator, { root }) {
  for (const name of ${JSON.stringify(tools.map(({ name }) => name))})
    coordinator.mount("tools", defineTool({
      name,
      description: ${JSON.stringify(description)},
      schema: z.strictObject({
        path: z.string().describe("Relative to the folder"),
        limit: z.int().min(1).max(500).default(50),
        kind: z.enum(["note", "list", "page"]),
      }),
      ...${JSON.stringify(classes)},
      execute: async ({ path }) => {
        ${waitMs > 0 ? `await new Promise((resolve) => setTimeout(resolve, ${waitMs}));` : ""}
        return data({ path, root });
      },
    }));
}
`;
}
