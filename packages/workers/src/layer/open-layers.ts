import { hash } from "node:crypto";
import { resolve } from "node:path";
import {
  ownSession,
  systemClock,
  ToolmountError,
  type Clock,
  type Coordinator,
  type Runner,
  type RunnerJob,
} from "@toolmount/core";
import { openLayer, processEnvironment, type Layer } from "@toolmount/sandbox";
import type { LayerSettings } from "../config.ts";
import { keepTool } from "./keep-tool.ts";
import { createSessionCalls, mainSession, type LayerPrograms, type SessionCalls } from "./session-layer.ts";

/** The layers of a host, one for each session. */
export interface SessionLayers {
  /** The folder that they are over. */
  readonly folder: string;
  /** Opens the layer of a session, by the session's id. Rejects with `SANDBOX_UNAVAILABLE`. */
  of(session: string): Promise<Layer>;
  /** Whether a call or a person opened the layer of a session in this process. */
  isOpen(session: string): boolean;
}

declare module "@toolmount/core" {
  interface Capabilities {
    /** The layers of a host whose plan has `layer`. */
    "host.layers": SessionLayers;
  }
}

/**
 * Mounts the runner for calls in layers. A layer is opened at the first call of its session. It is closed with the host, or when its
 * session has rested: then a person can keep what waits from another process.
 */
export function openLayers(
  coordinator: Coordinator,
  settings: LayerSettings,
  clock: Pick<Clock, "setTimer"> = systemClock,
): void {
  const folder = resolve(coordinator.getCapability("session.working_dir") ?? "/", settings.folder);
  const layers = createLayers(coordinator, folder, settings);
  const runner: Runner = {
    undoes: true,
    async run(job, control) {
      const session = sessionOf(job);
      try {
        return await layers.calls(session).run(job, control);
      } finally {
        layers.rest(session, clock);
      }
    },
  };
  coordinator.registerCleanup(() => layers.close());
  coordinator.mount("tools", keepTool(layers));
  coordinator.registerCapability("host.layers", layers);
  coordinator.mount("runners", runner, { name: settings.name });
}

/** The session of a call that keeps or runs. Calls without a session share a layer, for each user. */
function sessionOf({ rootSession, info }: RunnerJob): string {
  return rootSession ?? ownSession(info.userId, mainSession);
}

interface OpenSession {
  readonly calls: SessionCalls;
  /** Undefined before the first call, and while the session rests. */
  layer: Promise<Layer> | undefined;
  timer?: ReturnType<Clock["setTimer"]>;
}

/** Milliseconds after the last call, without a command in the background, after which a session rests. */
const restMs = 60_000;

function createLayers(coordinator: Coordinator, folder: string, { startTimeoutMs }: LayerSettings) {
  const sessions = new Map<string, OpenSession>();
  let isClosed = false;
  const { logger } = coordinator;
  const env = processEnvironment("all");
  const open = (name: string, isWorking: () => boolean) => {
    const obeyed = coordinator.getCapability("session.obeyed_paths") ?? [];
    return openLayer({ folder, name, env, obeyed, isWorking }).then(orThrow);
  };
  const at = (session: string): OpenSession => {
    const known = sessions.get(session);
    if (known !== undefined) return known;
    const programs = programsIn(coordinator, { folder, startTimeoutMs, logger });
    const calls: SessionCalls = createSessionCalls(() => layers.of(session), programs);
    const opened: OpenSession = { calls, layer: undefined };
    sessions.set(session, opened);
    return opened;
  };
  const layers = {
    folder,
    async of(session: string) {
      const opened = at(session);
      opened.layer ??= open(nameOf(session), () => opened.calls.isWorking());
      try {
        return await opened.layer;
      } catch (error) {
        opened.layer = undefined;
        throw error;
      }
    },
    isOpen: (session: string) => sessions.get(session)?.layer !== undefined,
    calls: (session: string) => at(session).calls,
    rest(session: string, clock: Pick<Clock, "setTimer">) {
      // A call may end after its host was closed.
      if (isClosed) return;
      const opened = at(session);
      opened.timer?.cancel();
      opened.timer = clock.setTimer(() => {
        const closing = opened.calls.alone(async () => {
          if (!(await closeIdle(opened))) layers.rest(session, clock);
        });
        closing.catch((err: unknown) => logger.warn({ err }, "the layer of a session could not be closed"));
      }, restMs);
      opened.timer.keepAlive(false);
    },
    async close() {
      isClosed = true;
      for (const { calls, layer, timer } of sessions.values()) {
        timer?.cancel();
        await calls.end();
        await layer?.then((each) => each.close());
      }
    },
  };
  return layers;
}

/** Closes the layer of a session, unless a command in the background runs in it. */
async function closeIdle(session: OpenSession): Promise<boolean> {
  const layer = await session.layer;
  if (layer !== undefined && (await layer.isBusy())) return false;
  await session.calls.end();
  session.layer = undefined;
  await layer?.close();
  return true;
}

/** What the person's next command obeys may be changed in a layer: it is kept by a yes of its own. */
function programsIn(
  coordinator: Coordinator,
  more: Pick<LayerPrograms, "folder" | "startTimeoutMs" | "logger">,
): LayerPrograms {
  const cwd = coordinator.getCapability("session.working_dir") ?? more.folder;
  const obeyed = new Set(coordinator.getCapability("session.obeyed_paths"));
  const denied = coordinator.getCapability("session.protected_paths") ?? [];
  const secret = coordinator.getCapability("session.secret_paths") ?? [];
  const grants = {
    read: [],
    write: [],
    denied: denied.filter((path) => !obeyed.has(path)),
    secret,
    network: undefined,
    memoryMb: undefined,
    env: processEnvironment("all"),
    cwd,
  };
  return { ...more, grants };
}

function orThrow(layer: Layer | { readonly problem: string }): Layer {
  if (!("problem" in layer)) return layer;
  throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem: layer.problem });
}

/** The name of a session's layer on the disk. */
function nameOf(session: string): string {
  return /^[\w-]{1,64}$/.test(session) ? session : hash("sha256", session);
}
