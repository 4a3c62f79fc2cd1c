import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A published MCP server, and a call that it answers without a network. */
export interface RealServer {
  readonly label: string;
  readonly package: string;
  /** Its program, below the package's folder. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The variable that names the file to which it writes; without it, all tests would share one beside its program. */
  readonly writes?: string;
  readonly call: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };
  /** `failed`: its API cannot be reached from a test, and it says so. */
  readonly ends: "ok" | "failed";
}

export const realServers: readonly RealServer[] = [
  {
    label: "everything",
    package: "@modelcontextprotocol/server-everything",
    program: "dist/index.js",
    call: { tool: "echo", arguments: { message: "hello" } },
    ends: "ok",
  },
  {
    label: "filesystem",
    package: "@modelcontextprotocol/server-filesystem",
    program: "dist/index.js",
    args: ["."],
    call: { tool: "list_allowed_directories", arguments: {} },
    ends: "ok",
  },
  {
    label: "memory",
    package: "@modelcontextprotocol/server-memory",
    program: "dist/index.js",
    writes: "MEMORY_FILE_PATH",
    call: {
      tool: "create_entities",
      arguments: { entities: [{ name: "Ada", entityType: "person", observations: ["writes programs"] }] },
    },
    ends: "ok",
  },
  {
    label: "thinking",
    package: "@modelcontextprotocol/server-sequential-thinking",
    program: "dist/index.js",
    call: {
      tool: "sequentialthinking",
      arguments: { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    },
    ends: "ok",
  },
  {
    label: "hello",
    package: "mcp-hello-world",
    program: "build/stdio.js",
    call: { tool: "echo", arguments: { message: "hello" } },
    ends: "ok",
  },
  {
    label: "runner",
    package: "mcp-server-code-runner",
    program: "dist/cli.js",
    call: { tool: "run-code", arguments: { languageId: "javascript", code: "console.log(6 * 7)" } },
    ends: "ok",
  },
  {
    label: "github",
    package: "@modelcontextprotocol/server-github",
    program: "dist/index.js",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "dummy" },
    call: { tool: "search_repositories", arguments: { query: "toolmount" } },
    ends: "failed",
  },
  {
    label: "notion",
    package: "@notionhq/notion-mcp-server",
    program: "bin/cli.mjs",
    env: { NOTION_TOKEN: "dummy" },
    call: { tool: "API-get-self", arguments: {} },
    ends: "failed",
  },
  {
    label: "brave",
    package: "@brave/brave-search-mcp-server",
    program: "dist/index.js",
    args: ["--transport", "stdio"],
    env: { BRAVE_API_KEY: "dummy" },
    call: { tool: "brave_web_search", arguments: { query: "toolmount" } },
    ends: "failed",
  },
  {
    label: "trello",
    package: "@delorenj/mcp-server-trello",
    program: "build/index.js",
    env: { TRELLO_API_KEY: "dummy", TRELLO_TOKEN: "dummy" },
    call: { tool: "list_boards", arguments: {} },
    ends: "failed",
  },
];

const home = join(import.meta.dirname, "..");

/** The folder of a package that is installed for these tests. */
export function packageFolder(name: string): string {
  return join(home, "node_modules", name);
}

/** An entry of a plan for a published server. A file to which it writes is gone after the test. */
export function entryOf({ label, package: name, program, args = [], env = {}, writes }: RealServer) {
  const file = writes === undefined ? {} : { [writes]: join(temporaryFolder(), "file.json") };
  const words = [
    "--import",
    join(home, "fixtures/no-network.mjs"),
    join(packageFolder(name), program),
    ...args,
  ];
  return {
    module: label,
    prefix: `${label}_`,
    source: { mcp: { command: process.execPath, args: words, env: { ...env, ...file } } },
  };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-real-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
