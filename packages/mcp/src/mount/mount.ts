import { ToolmountError, type Coordinator } from "@toolmount/core";
import { residentEnvironment } from "@toolmount/sandbox";
import type { Tool } from "@modelcontextprotocol/client";
import { z } from "zod";
import { lockChannel } from "../wire/kept-definitions.ts";
import type { Published } from "../wire/published.ts";
import { requireBorder } from "./process-tree.ts";
import type { ServerSettings } from "./config.ts";
import { MountedServer } from "./server.ts";
import type { ServerStatus } from "../wire/server-status.ts";
import { placeOf, programOf } from "./transport.ts";

/** Channel on which each mounted server offers its sign-in to a server with a page: a `ServerSignIn` of core. */
export const signInChannel = "mcp.servers.sign_in";

/** The loader's capability that says whether modules may connect to what the plan does not need after it is mounted. */
const laterCapability = "mount.later";

/** Channel of the status of each mounted server. */
export const statusChannel = "mcp.servers";

/** Channel on which each mounted server offers to connect now, and to report how that went: a {@link ServerProbe}. */
export const probeChannel = "mcp.servers.probe";

/** Connects to one mounted server, and resolves to its status then. It does not reject. */
export type ServerProbe = () => Promise<ServerStatus>;

const events = ["mcp:changed", "mcp:resource_updated"];

/**
 * Begins to connect to one MCP server, where its tools have to be listed before they are mounted. The loader calls it for
 * all entries before it mounts the first one, so that servers start side by side. Throws `EXTENSION_MISSING` before a
 * server is started that could not be mounted.
 */
export function connect(coordinator: Coordinator, given: ServerSettings): object {
  const settings = settingsIn(coordinator, given);
  if (coordinator.get("schema-compiler") === null) throw missingCompiler();
  const locked = lockedTools(coordinator, settings.name);
  // The loader reports what a mount waits for.
  const isReported = locked === null && (settings.required || !isLater(coordinator));
  const server = new MountedServer(coordinator, settings, { locked, isReported });
  coordinator.registerCleanup(() => server.close());
  if (server.locked === null && settings.border === "none") server.begin();
  return server;
}

/** Longest time that mounting one server takes, in milliseconds: its own, and some for its end. */
export function mountLimitMs({ startTimeoutMs }: ServerSettings): number {
  return startTimeoutMs + 10_000;
}

/**
 * Mounts the tools of one MCP server; `connected` is what {@link connect} returned. Its processes end with the module. Where the lock file knows the tools, the server
 * is started by the first call.
 *
 * Rejects with `SANDBOX_UNAVAILABLE` when the entry asks for a border that does not work here, and when the plan requires the server, the lock file does not know its tools, and it cannot be reached or does not list them in `startTimeoutMs`. A server that is not required is asked again until it answers.
 */
export async function mount(
  coordinator: Coordinator,
  given: ServerSettings,
  connected?: object,
): Promise<void> {
  const server = (connected ?? connect(coordinator, given)) as MountedServer;
  const { locked, settings } = server;
  // Inside a layer the border is the one that this machine has proved for the host.
  if (coordinator.getCapability("session.in_layer") !== true)
    await requireBorder(programOf(placeOf(coordinator, settings)));
  if (locked === null && !settings.required) await server.mountOptional(isLater(coordinator));
  else server.tools.mountAll(locked ?? (await server.list()));
  // It is compared with the lock file as soon as it answers; no call waits for that.
  if (locked !== null && settings.wake === "start") void server.start();
  const { name } = settings;
  const published: { readonly [Channel in keyof Published]?: () => Published[Channel] } = {
    ...(settings.expose.length > 0 && { "mcp.exposed": () => server.exposed }),
    "mcp.instructions": () => server.instructions,
    "mcp.definitions": () => server.tools.offered,
    "mcp.servers.behind": () => server.behind,
    "mcp.servers.starting": () => ({ starting: server.optional.starting }),
    skills: () => server.tools.skills,
  };
  const others: Readonly<Record<string, () => unknown>> = {
    [lockChannel]: () => ({ module: name, definitions: server.tools.listed }),
    [statusChannel]: () => server.status,
    [probeChannel]: (): ServerProbe => () => server.probe(),
    [signInChannel]: () => server.signIn,
    "observability.events": () => events,
  };
  for (const [channel, value] of Object.entries({ ...published, ...others }))
    coordinator.registerContributor(channel, name, value);
  // The loader asks each module by its id for what its status shows, and whether its tools are known yet.
  coordinator.registerCapability(`mount.waits:${name}`, () => server.optional.waits);
  coordinator.registerCapability(`status.report:${name}`, () => server.status);
}

/**
 * The settings of a server whose calls run in the layer of each session. Its program may be what an agent has written there, so
 * it is always behind a border, without a network, and may change only what waits in the layer. So nothing is asked, unless the
 * entry says so. The host starts it to list its tools: then it changes nothing. Throws `CONFIG_INVALID` for a server that would be
 * more than its tools, or reach further.
 */
export function settingsIn(coordinator: Coordinator, settings: ServerSettings): ServerSettings {
  const layer = coordinator.getCapability("session.layer");
  if (layer === null) return settings;
  const problem = problemOf(settings);
  if (problem !== undefined) throw new ToolmountError("CONFIG_INVALID", { module: settings.name, problem });
  const isInside = coordinator.getCapability("session.in_layer") === true;
  const { read, env, classify } = settings;
  const rules = Object.entries(classify).map(([glob, rule]) => [glob, { confirm: false, ...rule }]);
  const quiet = Object.fromEntries(rules) as ServerSettings["classify"];
  return {
    ...settings,
    border: "bubblewrap",
    network: "none",
    read: [...read, layer],
    write: isInside ? [layer] : [],
    env: isInside ? { ...env, ...residentEnvironment } : env,
    classify: { ...quiet, "*": quiet["*"] ?? { confirm: false } },
  };
}

function problemOf({ url, network, write, ask, expose }: ServerSettings): string | undefined {
  const out = "; write run: { in: inline }, and it runs outside of the layer";
  if (url !== undefined) return `a server with a url cannot run in the layer${out}`;
  if (network !== "none") return `a server in the layer has no network${out}`;
  if (write.length > 0)
    return `a server in the layer may change all that waits there, and nothing else${out}`;
  if (ask.length > 0 || expose.length > 0)
    return `of a server in the layer only the tools are served; remove ask and expose`;
  return undefined;
}

/** Whether the host opens before servers that the plan does not need have answered. */
function isLater(coordinator: Coordinator): boolean {
  return coordinator.getCapability(laterCapability) === true;
}

/** The tools that the server had when the plan was locked; null when the plan is not, or does not know them. */
function lockedTools(coordinator: Coordinator, module: string): readonly Tool[] | null {
  const definitionsOf = coordinator.getCapability(lockChannel);
  if (typeof definitionsOf !== "function") return null;
  const kept: unknown = (definitionsOf as (module: string) => unknown)(module);
  const parsed = lockedDefinitions.safeParse(kept);
  return parsed.success ? parsed.data : null;
}

/** The part of a definition that everything here relies on; the rest is as the server said it. */
const lockedDefinitions = z.array(
  z.looseObject({
    name: z.string(),
    description: z.string().optional(),
    inputSchema: z.looseObject({ type: z.literal("object") }),
    outputSchema: z.record(z.string(), z.unknown()).optional(),
  }),
);

function missingCompiler(): ToolmountError {
  return new ToolmountError("EXTENSION_MISSING", {
    what: "the JSON Schema of an MCP server's tools",
    module: "@toolmount/interop",
    install: "npm install @toolmount/interop",
  });
}
