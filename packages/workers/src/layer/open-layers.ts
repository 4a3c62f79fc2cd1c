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
import { layersIn, openLayer, processEnvironment, type Layer } from "@toolmount/sandbox";
import type { LayerSettings } from "../config.ts";
import { dropTool, keepTool } from "./keep-tool.ts";
import { createRehearsals } from "./rehearsals.ts";
import {
  createSessionCalls,
  mainSession,
  type LayerPrograms,
  type SessionCalls,
  type SessionLayers,
} from "./session-layer.ts";

/**
 * Mounts the runner for calls in layers. A layer is opened at the first call of its session. It is closed with the host, or
 * when its session has been idle for a while, so that a person can use another process to keep what waits.
 */
export function openLayers(
  coordinator: Coordinator,
  settings: LayerSettings,
  clock: Pick<Clock, "setTimer"> = systemClock,
): void {
  const folder = resolve(coordinator.getCapability("session.working_dir") ?? "/", settings.folder);
  const { layers, calls, programs, rest, closeAll } = createLayers(coordinator, folder, {
    ...settings,
    clock,
  });
  const rehearsals = createRehearsals({ layers, programs, clock });
  const runner: Runner = {
    undoes: true,
    rehearses: true,
    async run(job, control) {
      const session = sessionOf(job);
      if (control.rehearsal !== undefined) return rehearsals.run(session, job, control);
      try {
        return await calls(session).run(job, control);
      } finally {
        rest(session);
      }
    },
  };
  coordinator.registerCleanup(closeAll);
  coordinator.registerCleanup(() => rehearsals.close());
  for (const tool of [keepTool(layers), dropTool(layers)]) coordinator.mount("tools", tool);
  coordinator.registerCapability("host.layers", layers);
  coordinator.mount("runners", runner, { name: settings.name });
}

/** Returns the session in whose layer a call runs. For each user, calls without a session share one layer. */
function sessionOf({ rootSession, info }: RunnerJob): string {
  return rootSession ?? ownSession(info.userId, mainSession);
}

interface OpenSession {
  readonly calls: SessionCalls;
  /** The open layer; undefined before the first call, and after the layer of an idle session was closed. */
  layer: Promise<Layer> | undefined;
  timer?: ReturnType<Clock["setTimer"]>;
  /** Whether another process waits for the layer. */
  isWanted: boolean;
}

/** Milliseconds after the last call and without a command in the background after which a session's layer is closed. */
const restMs = 60_000;

interface Settings extends LayerSettings {
  readonly clock: Pick<Clock, "setTimer">;
}

function createLayers(coordinator: Coordinator, folder: string, settings: Settings) {
  const sessions = new Map<string, OpenSession>();
  let isClosed = false;
  const { startTimeoutMs, clock } = settings;
  const { logger } = coordinator;
  const warn = (err: unknown) => {
    logger.warn({ err }, "the layer of a session could not be closed");
    return true;
  };
  /** Closes the layer of a session that is idle, or for another process that waits for the layer. */
  const close = (opened: OpenSession) => opened.calls.alone(() => closeIdle(opened)).catch(warn);
  const programs = () => programsIn(coordinator, { folder, startTimeoutMs, logger });
  const at = (session: string): OpenSession => {
    const known = sessions.get(session);
    if (known !== undefined) return known;
    const calls: SessionCalls = createSessionCalls(() => of(session), programs);
    const opened: OpenSession = { calls, layer: undefined, isWanted: false };
    sessions.set(session, opened);
    return opened;
  };
  const of = async (session: string) => {
    const opened = at(session);
    opened.layer ??= openOne(coordinator, { folder, session, opened, close });
    try {
      return await opened.layer;
    } catch (error) {
      opened.layer = undefined;
      throw error;
    }
  };
  const rest = (session: string) => {
    // A call may end after its host has been closed.
    if (isClosed) return;
    const opened = at(session);
    opened.timer?.cancel();
    if (opened.isWanted) void close(opened);
    opened.timer = clock.setTimer(async () => {
      if ((await close(opened)) === false) rest(session);
    }, restMs);
    opened.timer.keepAlive(false);
  };
  const layers: SessionLayers = {
    of,
    isOpen: (session) => sessions.get(session)?.layer !== undefined,
    sessions: () => layersIn(folder),
    look: (session, act) => {
      const { calls } = at(session);
      return calls.between(async () => act(await of(session), calls)).finally(() => rest(session));
    },
  };
  const closeAll = async () => {
    isClosed = true;
    await Promise.all([...sessions.values()].map((opened) => closeNow(opened).catch(warn)));
  };
  return { layers, programs, rest, closeAll, calls: (session: string) => at(session).calls };
}

interface OpenOne {
  readonly folder: string;
  readonly session: string;
  readonly opened: OpenSession;
  close(opened: OpenSession): Promise<unknown>;
}

async function openOne(coordinator: Coordinator, one: OpenOne): Promise<Layer> {
  const { folder, session: owner, opened } = one;
  const layer = await openLayer({
    folder,
    name: nameOf(owner),
    owner,
    env: processEnvironment("all"),
    obeyed: coordinator.getCapability("session.obeyed_paths") ?? [],
    isWorking: () => opened.calls.isWorking(),
    onWanted() {
      opened.isWanted = true;
      void one.close(opened);
    },
  });
  return orThrow(layer, owner);
}

async function closeNow({ calls, layer, timer }: OpenSession): Promise<void> {
  timer?.cancel();
  await calls.end();
  await layer?.then((each) => each.close());
}

/** Closes the layer of a session, unless a command in the background runs in it. */
async function closeIdle(session: OpenSession): Promise<boolean> {
  const layer = await session.layer;
  if (layer !== undefined && (await layer.isBusy())) return false;
  await session.calls.end();
  session.layer = undefined;
  session.isWanted = false;
  await layer?.close();
  return true;
}

/**
 * Returns how programs in a layer are started. They may also change files that the person's next command runs or reads as
 * settings, because a person has to accept such changes separately.
 */
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

function orThrow(
  layer: Layer | { readonly problem: string; readonly isBusy?: true },
  session: string,
): Layer {
  if (!("problem" in layer)) return layer;
  const { problem, isBusy } = layer;
  if (isBusy === true) throw new ToolmountError("SESSION_CONFLICT", { session, problem });
  throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem });
}

/** Returns the name of a session's layer on the disk. */
function nameOf(session: string): string {
  return /^[\w-]{1,64}$/.test(session) ? session : hash("sha256", session);
}
