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

/** Channel on which each mounted server offers a sign-in with a web page, as a `ServerSignIn` of core. */
export const signInChannel = "mcp.servers.sign_in";

/** Capability of the loader. If true, servers that the plan does not need may connect after the host has opened. */
const laterCapability = "mount.later";

/** Channel of the status of each mounted server. */
export const statusChannel = "mcp.servers";

/** Channel on which each mounted server offers a {@link ServerProbe}. */
export const probeChannel = "mcp.servers.probe";

/**
 * Connects to one mounted server and resolves to the status after that, also if the server cannot be reached. Does not reject.
 */
export type ServerProbe = () => Promise<ServerStatus>;

const events = ["mcp:changed", "mcp:resource_updated"];

/**
 * Starts to connect to one MCP server whose tools have to be listed before they can be mounted. The loader calls this for all
 * entries before it mounts the first, so that servers start at the same time. Throws `EXTENSION_MISSING`, before it starts a
 * server, if the schemas of its tools could not be compiled.
 */
export function connect(coordinator: Coordinator, given: ServerSettings): object {
  const settings = settingsIn(coordinator, given);
  if (coordinator.get("schema-compiler") === null) throw missingCompiler();
  const locked = lockedTools(coordinator, settings.name);
  // The loader itself reports a failure of a server for which the mount waits.
  const isReported = locked === null && (settings.required || !isLater(coordinator));
  const server = new MountedServer(coordinator, settings, { locked, isReported });
  coordinator.registerCleanup(() => server.close());
  if (server.locked === null && settings.border === "none") server.begin();
  return server;
}

/** Returns the longest time that mounting one server takes, in milliseconds: its own limit and some time for its end. */
export function mountLimitMs({ startTimeoutMs }: ServerSettings): number {
  return startTimeoutMs + 10_000;
}

/**
 * Mounts the tools of one MCP server; `connected` is what {@link connect} returned. Its processes end with the module. If the
 * lock file knows the tools, the first call starts the server.
 *
 * Rejects with `SANDBOX_UNAVAILABLE` when the entry asks for a border that does not work here. Rejects, too, when the plan
 * requires the server, the lock file does not know its tools, and it does not list them within `startTimeoutMs`. A server that
 * is not required is tried again until it answers.
 */
export async function mount(
  coordinator: Coordinator,
  given: ServerSettings,
  connected?: object,
): Promise<void> {
  const server = (connected ?? connect(coordinator, given)) as MountedServer;
  const { locked, settings } = server;
  // Inside a layer, the host has proved the border on this machine already.
  if (coordinator.getCapability("session.in_layer") !== true)
    await requireBorder(programOf(placeOf(coordinator, settings)));
  if (locked === null && !settings.required) await server.mountOptional(isLater(coordinator));
  else server.tools.mountAll(locked ?? (await server.list()));
  // The tools are compared with the lock file when the server answers; no call waits for that.
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
 * Returns the settings of a server. If its calls run in each session's layer, its program may be one that an agent wrote there,
 * so it gets a border and no network, and its changes stay in the layer. So calls need no approval, unless the entry says so.
 * The host starts it only to list its tools. Throws `CONFIG_INVALID` for a server over HTTP, and for an entry with `network`,
 * `write`, `ask` or `expose`.
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

/** Whether the host opens before the servers that the plan does not need have answered. */
function isLater(coordinator: Coordinator): boolean {
  return coordinator.getCapability(laterCapability) === true;
}

/** Returns the tools that the server had when the plan was locked; null if the plan is not locked or does not know them. */
function lockedTools(coordinator: Coordinator, module: string): readonly Tool[] | null {
  const definitionsOf = coordinator.getCapability(lockChannel);
  if (typeof definitionsOf !== "function") return null;
  const kept: unknown = (definitionsOf as (module: string) => unknown)(module);
  const parsed = lockedDefinitions.safeParse(kept);
  return parsed.success ? parsed.data : null;
}

/** Checks the members of a definition on which this code relies; the rest is as the server wrote it. */
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
