import { resolve } from "node:path";
import type { EditReport } from "../edit/edit-plan.ts";
import { addToPlan } from "./import-file.ts";
import { findServer, readServerFile } from "./mcp-registry.ts";
import type { Machine } from "./server-inputs.ts";
import { chooseServer, type ServerChoice, type ServerJson } from "./server-json.ts";

/** What `toolmount add` asks for: a server, and where it is described. */
interface ServerRequest {
  /** The path of a `server.json` or, with `registry`, the server's name, with or without `@version`. */
  readonly server: string;
  readonly registry: string | undefined;
  readonly id: string | undefined;
  readonly prefix: string | undefined;
  /** `npm`, `pypi`, `oci`, `nuget` or `remote`; by default the first that can be used. */
  readonly type: string | undefined;
  readonly machine: Machine;
}

/** A server that is not yet in a plan. */
export interface FoundServer {
  readonly server: ServerJson;
  readonly choice: ServerChoice;
}

/** Tests whether `toolmount add` was given an MCP server rather than a module. */
export function isServer({ server, registry }: Pick<ServerRequest, "server" | "registry">): boolean {
  return registry !== undefined || /(?:^|[/.\\])server\.json$/.test(server);
}

/** Finds a server and makes an entry for plans. Writes nothing and starts no server. */
export async function readServer(request: ServerRequest, cwd: string): Promise<FoundServer> {
  const { registry, id, prefix, type, machine } = request;
  const server =
    registry === undefined
      ? await readServerFile(resolve(cwd, request.server))
      : await findServer(request.server, registry, cwd);
  const choice = chooseServer(server, { id, type, machine });
  return {
    server,
    choice: prefix === undefined ? choice : { ...choice, entry: { ...choice.entry, prefix } },
  };
}

/** Writes the entry of a server into a plan. If there is no plan, it writes one first. */
export async function writeServer(
  { choice: { entry } }: FoundServer,
  plan: string | undefined,
  cwd: string,
): Promise<EditReport> {
  const { addEntries } = await import("../edit/edit-plan.ts");
  return addToPlan(plan, cwd, (file) => addEntries(file, [entry], { cwd }));
}
