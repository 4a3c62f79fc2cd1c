import { description, summary, type Manifest } from "./tool-code.ts";
import type { Ranges, ToolNames } from "./names.ts";

/** The manifest of the package: what npm reads, and what toolmount lists without running it. */
export function packageJson(names: ToolNames, ranges: Ranges): string {
  const range = (...wanted: string[]) =>
    Object.fromEntries(wanted.map((name) => [name, ranges[name] ?? "*"]));
  const manifest = {
    name: names.package,
    version: "0.1.0",
    description: summary(names),
    license: "UNLICENSED",
    keywords: ["toolmount", "llm-tool"],
    type: "module",
    sideEffects: false,
    files: ["dist", "src"],
    exports: {
      ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
      "./package.json": "./package.json",
    },
    scripts: {
      build: "tsc",
      test: 'npm run build && node --test "test/*.test.ts" && toolmount manifest . --check && toolmount validate .',
      check: "publint --strict && attw --pack . --profile esm-only",
      prepack: "npm run build",
    },
    dependencies: range("zod"),
    peerDependencies: range("@toolmount/core"),
    devDependencies: range(
      "@arethetypeswrong/cli",
      "@toolmount/core",
      "@types/node",
      "publint",
      "toolmount",
      "typescript",
    ),
    engines: { node: ">=22.19" },
    toolmount: toolmountOf(names),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** As `toolmount manifest` would write it. */
function toolmountOf(names: ToolNames): Manifest {
  return {
    type: "tool",
    mounts: ["tools"],
    static: true,
    config: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        entries: {
          default: {},
          description: "What may be looked up, by name",
          type: "object",
          propertyNames: { type: "string" },
          additionalProperties: { type: "string" },
        },
      },
      additionalProperties: false,
    },
    provides: [],
    needs: [],
    tools: [
      {
        name: names.tool,
        description: description(names),
        summary: summary(names),
        inputSchema: {
          type: "object",
          properties: {
            name: {
              type: "string",
              pattern: "\\S",
              description: "Which entry to look up, as the plan names it",
            },
          },
          required: ["name"],
          additionalProperties: false,
        },
        outputSchema: {
          type: "object",
          properties: { name: { type: "string" }, value: { type: "string" } },
          required: ["name", "value"],
          additionalProperties: false,
        },
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        timeoutMs: 15_000,
        idempotent: true,
        tags: [],
        version: "0.1.0",
      },
    ],
  };
}
