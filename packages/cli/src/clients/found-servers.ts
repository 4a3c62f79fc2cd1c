import { messageOf } from "@toolmount/core/errors";
import { isRecord } from "@toolmount/core/json";
import { parseSettings } from "../scaffold/parse-settings.ts";
import { programOf } from "../scaffold/read-server-list.ts";
import { servesToolmount } from "../scaffold/serves-toolmount.ts";
import type { Shell } from "../process/shell.ts";
import { memberAt, readClientFile } from "./client-file.ts";
import { listsOf, mcpClients, type ServerList } from "./mcp-clients.ts";

/** A file in which an application lists MCP servers. */
export interface FoundList {
  readonly client: string;
  readonly file: string;
  readonly servers: readonly FoundServer[];
  /** Whether `guard` can replace these servers by a plan in this file. `import` can read the servers of any list. */
  readonly isGuarded: boolean;
  /** Why the file could not be read. */
  readonly problem?: string;
}

interface FoundServer {
  readonly name: string;
  /** Whether the server is `toolmount serve` with a plan. */
  readonly isPlan: boolean;
  /** The name of a package that runs in its newest version because the entry names no version; otherwise undefined. */
  readonly unpinned: string | undefined;
}

/** Tests whether an application starts a server by itself, without a plan. */
export function isDirect({ isPlan }: FoundServer): boolean {
  return !isPlan;
}

/** Finds the lists of applications that `guard` knows, in this folder and in the user's. Starts no server. */
export async function findServerLists(
  shell: Pick<Shell, "cwd" | "env">,
  program: string | undefined,
): Promise<readonly FoundList[]> {
  const read = async (lists: readonly ServerList[]) => {
    const found = await Promise.all(lists.map((list) => readKnown(list, program)));
    return found.flatMap((list) => list ?? []);
  };
  const known = await Promise.all(mcpClients.map((client) => read(listsOf(client, shell))));
  return known.flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ ...first, isGuarded: true }, ...rest],
  );
}

async function readKnown(
  { client, file, keys }: ServerList,
  program: string | undefined,
): Promise<FoundList | undefined> {
  try {
    const text = await readClientFile(file);
    if (text === undefined) return undefined;
    const parsed = await parseSettings(text.trim() === "" ? "{}" : text);
    const entries = keys.flatMap((key) => Object.entries(recordAt(parsed, key)));
    const servers = await Promise.all(entries.map(([name, entry]) => serverOf(name, entry, program)));
    return servers.length === 0 ? undefined : { client, file, isGuarded: false, servers };
  } catch (error) {
    return { client, file, isGuarded: false, servers: [], problem: messageOf(error) };
  }
}

function recordAt(value: unknown, key: readonly string[]): object {
  const found = memberAt(value, key);
  return isRecord(found) ? found : {};
}

async function serverOf(name: string, entry: unknown, program: string | undefined): Promise<FoundServer> {
  const { command, args } = programOf(isRecord(entry) ? entry : {});
  const words = Array.isArray(args) ? args.map(String) : [];
  if (typeof command !== "string") return { name, isPlan: false, unpinned: undefined };
  const why = await servesToolmount({ command, args: words }, program);
  return { name, isPlan: why !== undefined, unpinned: unpinnedOf(command, words) };
}

/**
 * Returns the name of a package without a version: `npx -y server-files` and `uvx server-files` run the newest one, while
 * `server-files@1.2.0` is fixed. Undefined for other commands.
 */
function unpinnedOf(command: string, words: readonly string[]): string | undefined {
  if (!/(?:^|[\\/])(?:npx|bunx|uvx)(?:\.\w+)?$/.test(command)) return undefined;
  const name = words.find((word) => !word.startsWith("-"));
  return name === undefined || /.(?:@|==)/.test(name) ? undefined : name;
}
