import { homedir } from "node:os";
import { join } from "node:path";
import type { Shell } from "../process/shell.ts";

/** An application that starts MCP servers, and the file in which it lists them. */
export interface McpClient {
  readonly name: string;
  /** Returns the path of the file: the current project's if the application has a file for each project. */
  readonly file: (shell: Pick<Shell, "cwd" | "env">) => string;
  /** The top-level member of the file that holds the servers. */
  readonly key: string;
  /** Returns the members of an entry that start a program. */
  readonly start: (command: string, args: readonly string[]) => Members;
  /**
   * Returns how an entry writes a path inside the project's folder, if the file belongs to a project and is shared with a team;
   * null if the file is the user's own.
   */
  readonly inProject: ((path: string) => string) | null;
  /** Returns the files that the application also reads, such as the user's own. */
  readonly userFiles: (shell: Pick<Shell, "cwd" | "env">) => readonly UserFile[];
  /** Returns the members of an entry that pass on variables of the application's environment; null if an entry cannot. */
  readonly passOn: ((names: readonly string[]) => Members) | null;
}

type Members = Readonly<Record<string, unknown>>;

/** A file, and the paths of the members in it that hold servers. */
interface UserFile {
  readonly file: string;
  readonly keys: readonly (readonly string[])[];
}

/** Returns the user's home folder; `/` for a user whom the system does not know, such as one that a container was started as. */
export function homeOf({ env }: Pick<Shell, "env">): string {
  const named = env["HOME"] ?? env["USERPROFILE"];
  if (named !== undefined) return named;
  try {
    return homedir();
  } catch {
    return "/";
  }
}

/**
 * Returns the path of Claude Desktop's file, by platform. Source: modelcontextprotocol.io, "Connect to local MCP
 * servers".
 */
export function desktopFile(shell: Pick<Shell, "env">, platform = process.platform): string {
  return settingsFile("Claude/claude_desktop_config.json", shell, platform);
}

/** Returns the path of a program's settings in the user's settings folder, by platform. */
function settingsFile(path: string, shell: Pick<Shell, "env">, platform = process.platform): string {
  if (platform === "darwin") return join(homeOf(shell), "Library/Application Support", path);
  if (platform === "win32") return join(shell.env["APPDATA"] ?? homeOf(shell), path);
  return join(configFolder(shell), path);
}

/** Returns the folder in which programs of the terminal have their settings, on macOS, too. */
function configFolder(shell: Pick<Shell, "env">): string {
  return shell.env["XDG_CONFIG_HOME"] ?? join(homeOf(shell), ".config");
}

const usualStart: McpClient["start"] = (command, args) => ({ command, args });

/** Returns a map of variables under `key`, each with the reference by which the application reads it. */
const mapped =
  (reference: (name: string) => string, key = "env"): NonNullable<McpClient["passOn"]> =>
  (names) => ({ [key]: Object.fromEntries(names.map((name) => [name, reference(name)])) });

/**
 * The applications whose lists `guard` writes. Sources, where the place or the form of an entry is not obvious: the configuration
 * pages of Codex, Gemini CLI, opencode and Zed.
 */
export const mcpClients: readonly McpClient[] = [
  {
    name: "claude-code",
    file: ({ cwd }) => join(cwd, ".mcp.json"),
    key: "mcpServers",
    start: usualStart,
    inProject: (path) => path,
    userFiles: (shell) => [
      {
        file: join(homeOf(shell), ".claude.json"),
        keys: [["mcpServers"], ["projects", shell.cwd, "mcpServers"]],
      },
    ],
    passOn: mapped((name) => `\${${name}}`),
  },
  {
    name: "claude-desktop",
    file: (shell) => desktopFile(shell),
    key: "mcpServers",
    start: usualStart,
    inProject: null,
    userFiles: () => [],
    passOn: null,
  },
  {
    name: "codex",
    file: ({ cwd }) => join(cwd, ".codex/config.toml"),
    key: "mcp_servers",
    start: usualStart,
    inProject: (path) => path,
    userFiles: (shell) => [
      {
        file: join(shell.env["CODEX_HOME"] ?? join(homeOf(shell), ".codex"), "config.toml"),
        keys: [["mcp_servers"]],
      },
    ],
    passOn: (names) => ({ env_vars: names }),
  },
  {
    name: "cursor",
    file: ({ cwd }) => join(cwd, ".cursor/mcp.json"),
    key: "mcpServers",
    start: usualStart,
    inProject: (path) => `\${workspaceFolder}/${path}`,
    userFiles: (shell) => [{ file: join(homeOf(shell), ".cursor/mcp.json"), keys: [["mcpServers"]] }],
    passOn: mapped((name) => `\${env:${name}}`),
  },
  {
    name: "gemini",
    file: ({ cwd }) => join(cwd, ".gemini/settings.json"),
    key: "mcpServers",
    start: usualStart,
    inProject: (path) => path,
    userFiles: (shell) => [{ file: join(homeOf(shell), ".gemini/settings.json"), keys: [["mcpServers"]] }],
    passOn: mapped((name) => `\${${name}}`),
  },
  {
    name: "opencode",
    file: ({ cwd }) => join(cwd, "opencode.json"),
    key: "mcp",
    start: (command, args) => ({ type: "local", command: [command, ...args] }),
    inProject: (path) => path,
    userFiles: (shell) =>
      [
        join(shell.cwd, "opencode.jsonc"),
        join(shell.cwd, ".opencode/opencode.json"),
        join(configFolder(shell), "opencode/opencode.json"),
        join(configFolder(shell), "opencode/opencode.jsonc"),
      ].map((file) => ({ file, keys: [["mcp"]] })),
    passOn: mapped((name) => `{env:${name}}`, "environment"),
  },
  {
    name: "vscode",
    file: ({ cwd }) => join(cwd, ".vscode/mcp.json"),
    key: "servers",
    start: (command, args) => ({ type: "stdio", command, args }),
    inProject: (path) => `\${workspaceFolder}/${path}`,
    userFiles: (shell) => [{ file: settingsFile("Code/User/mcp.json", shell), keys: [["servers"]] }],
    passOn: mapped((name) => `\${env:${name}}`),
  },
  {
    name: "windsurf",
    file: (shell) => join(homeOf(shell), ".codeium/windsurf/mcp_config.json"),
    key: "mcpServers",
    start: usualStart,
    inProject: null,
    userFiles: () => [],
    passOn: mapped((name) => `\${env:${name}}`),
  },
  {
    name: "zed",
    file: (shell) => join(configFolder(shell), "zed/settings.json"),
    key: "context_servers",
    start: usualStart,
    inProject: null,
    userFiles: ({ cwd }) => [{ file: join(cwd, ".zed/settings.json"), keys: [["context_servers"]] }],
    passOn: null,
  },
];

/**
 * Returns the client once for each list that `connect` can write: the project's, then the user's own, which apply in every
 * project. Each copy has the file and the key of its list.
 */
export function writableLists(client: McpClient, shell: Pick<Shell, "cwd" | "env">): readonly McpClient[] {
  const users = client.userFiles(shell).map(({ file, keys: [[key = client.key] = []] }) => ({
    ...client,
    file: () => file,
    key,
    inProject: null,
  }));
  return [client, ...users];
}

/** A file in which an application lists servers, and the paths of the members that hold them. */
export interface ServerList extends UserFile {
  readonly client: string;
  /** Whether it is the client's main file, which `connect` writes first. */
  readonly isOwn: boolean;
}

/** Returns the files in which an application lists servers: the one that `connect` writes, and the user's own. */
export function listsOf(client: McpClient, shell: Pick<Shell, "cwd" | "env">): readonly ServerList[] {
  const { name, key } = client;
  const own = { client: name, isOwn: true, file: client.file(shell), keys: [[key]] };
  // In the user's home folder, the project's file can be the user's own file, which then counts once.
  const others = client.userFiles(shell).filter(({ file }) => file !== own.file);
  return [own, ...others.map((list) => ({ client: name, isOwn: false, ...list }))];
}
