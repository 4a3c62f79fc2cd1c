import { homedir } from "node:os";
import { join } from "node:path";
import type { Shell } from "../../process/shell.ts";

/** An application that starts MCP servers, and the file in which it lists them. */
export interface McpClient {
  readonly name: string;
  /** The file, for one project where the application knows projects. */
  readonly file: (shell: Pick<Shell, "cwd" | "env">) => string;
  /** The member of the file that holds the servers. */
  readonly key: string;
  /** Members that an entry needs beside command and args. */
  readonly extra: Readonly<Record<string, string>>;
  /** How the application's file refers to a variable of the environment; null when it cannot. */
  readonly variable: ((name: string) => string) | null;
}

const home = ({ env }: Pick<Shell, "env">) => env["HOME"] ?? env["USERPROFILE"] ?? homedir();

/** Where Claude Desktop keeps its file, by platform. Source: modelcontextprotocol.io, "Connect to local MCP servers". */
export function desktopFile(shell: Pick<Shell, "env">, platform = process.platform): string {
  const file = "Claude/claude_desktop_config.json";
  if (platform === "darwin") return join(home(shell), "Library/Application Support", file);
  if (platform === "win32") return join(shell.env["APPDATA"] ?? home(shell), file);
  return join(shell.env["XDG_CONFIG_HOME"] ?? join(home(shell), ".config"), file);
}

/** Every client that `connect` knows. */
export const mcpClients: readonly McpClient[] = [
  {
    name: "claude-code",
    file: ({ cwd }) => join(cwd, ".mcp.json"),
    key: "mcpServers",
    extra: {},
    variable: (name) => `\${${name}}`,
  },
  {
    name: "claude-desktop",
    file: (shell) => desktopFile(shell),
    key: "mcpServers",
    extra: {},
    variable: null,
  },
  {
    name: "cursor",
    file: ({ cwd }) => join(cwd, ".cursor/mcp.json"),
    key: "mcpServers",
    extra: {},
    variable: (name) => `\${env:${name}}`,
  },
  {
    name: "vscode",
    file: ({ cwd }) => join(cwd, ".vscode/mcp.json"),
    key: "servers",
    extra: { type: "stdio" },
    variable: (name) => `\${env:${name}}`,
  },
  {
    name: "windsurf",
    file: (shell) => join(home(shell), ".codeium/windsurf/mcp_config.json"),
    key: "mcpServers",
    extra: {},
    variable: (name) => `\${env:${name}}`,
  },
];
