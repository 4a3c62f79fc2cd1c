import type { McpServers } from "@toolmount/loader/commands";
import type { Shell } from "../process/shell.ts";
import { isRecord } from "@toolmount/core/json";
import { programOf } from "../scaffold/read-server-list.ts";
import { printable } from "../screen/printable.ts";
import { memberAt, parseClientFile, readClientFile } from "./client-file.ts";
import { listsOf, mcpClients, type McpClient, type ServerList } from "./mcp-clients.ts";

/** A server of the plan that a client also starts or reaches by itself, so that the policy of the plan does not apply. */
export interface DirectServer {
  readonly client: string;
  readonly file: string;
  readonly name: string;
  /** Whether `toolmount connect` can take the server out of this file. */
  readonly isMoved: boolean;
}

/** Says in a sentence how a client bypasses the plan. */
export function describeWay({ client, name, file }: DirectServer): string {
  return printable(`${client} reaches ${name} directly, beside the plan: ${file}`);
}

type PlanServers = McpServers["servers"];

/** Returns the names of servers in a client's list that the plan also mounts. */
export function namesInPlan(list: unknown, servers: PlanServers): string[] {
  if (typeof list !== "object" || list === null) return [];
  return Object.entries(list).flatMap(([name, entry]) =>
    servers.some((server) => isSame(name, entry as unknown, server)) ? [name] : [],
  );
}

/** Tests whether an entry is a server of the plan: by its name, by its address, or by its program with the same arguments. */
function isSame(name: string, entry: unknown, { id, settings }: PlanServers[number]): boolean {
  if (name === id) return true;
  const url = memberAt(entry, ["url"]) ?? memberAt(entry, ["httpUrl"]);
  if (typeof url === "string") return url === settings["url"];
  const { command, args = [] } = programOf(isRecord(entry) ? entry : {});
  return (
    typeof command === "string" &&
    command === settings["command"] &&
    JSON.stringify(args) === JSON.stringify(settings["args"] ?? [])
  );
}

/**
 * Finds the servers of a plan that are also in files of the clients that `connect` knows. Files that cannot be read are left out.
 */
export async function findDirectServers(
  servers: PlanServers,
  shell: Pick<Shell, "cwd" | "env">,
  clients: readonly McpClient[] = mcpClients,
): Promise<DirectServer[]> {
  if (servers.length === 0) return [];
  const lists = clients.flatMap((client) => listsOf(client, shell));
  const found = await Promise.all(lists.map((list) => findIn(list, servers)));
  return found.flat();
}

async function findIn(
  { client, file, keys, isOwn }: ServerList,
  servers: PlanServers,
): Promise<DirectServer[]> {
  const parsed = await readList(file);
  const names = keys.flatMap((key) => namesInPlan(memberAt(parsed, key), servers));
  return [...new Set(names)].map((name) => ({ client, file, name, isMoved: isOwn }));
}

async function readList(file: string): Promise<object> {
  try {
    return await parseClientFile((await readClientFile(file)) ?? "", file);
  } catch {
    return {};
  }
}
