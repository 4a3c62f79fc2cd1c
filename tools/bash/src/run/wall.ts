import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import { gateEnvironment, networkVariables, openHostGate, type HostGate } from "@toolmount/sandbox";
import type { Gate } from "./bubblewrap.ts";

/** The sandbox around commands: whether it is used, and why not. */
interface Wall {
  /** Without it no command runs. */
  readonly isNeeded: boolean;
  readonly isUp: boolean;
  /** Why it is not used; null the second time. */
  takeProblem(): string | null;
  /** Tries the sandbox once, and again after a failure if the plan insists on it. Resolves to the problem. */
  raise(): Promise<string | null>;
}

interface WallPlace {
  readonly isolation: "auto" | "none" | "bubblewrap";
  /** Commands are not asked about, or have the network of some hosts only, so none may run without it. */
  readonly isRequired: boolean;
  readonly probe: () => Promise<string | null>;
  readonly temporary: TemporaryFolder;
}

/** Prepares the sandbox. It is tried when the first command needs it. */
export function createWall({ isolation, isRequired, probe, temporary }: WallPlace): Wall {
  let tried: Promise<string | null> | null = null;
  const isNeeded = isRequired || isolation === "bubblewrap";
  const wall = { isUp: isNeeded, problem: null as string | null };
  const tryOnce = async (): Promise<string | null> => {
    if (isolation === "auto") temporary.make();
    wall.problem = await probe();
    wall.isUp = isNeeded || wall.problem === null;
    if (wall.problem !== null && isNeeded) tried = null;
    return wall.problem;
  };
  return {
    isNeeded,
    get isUp() {
      return wall.isUp;
    },
    takeProblem() {
      const { problem } = wall;
      wall.problem = null;
      return problem;
    },
    raise: async () => (isolation === "none" ? null : (tried ??= tryOnce())),
  };
}

/** A folder that commands see as `/tmp`. */
interface TemporaryFolder {
  readonly path: string;
  make(): void;
  remove(): void;
}

/** Names a folder in that of temporary files. */
export function createTemporaryFolder(): TemporaryFolder {
  const path = join(tmpdir(), `toolmount-tmp-${randomUUID()}`);
  return {
    path,
    make: () => makeFolder(path, 0o700),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The way of commands to the hosts that the plan lists. */
interface Way {
  /** What launchers of commands need of it; undefined where no host is listed. */
  readonly gate: Gate | undefined;
  /** Opens it, unless it is open. Resolves to the problem. */
  raise(): Promise<string | null>;
  /** The hosts that commands asked for since this was last called. */
  takeAsked(): ReturnType<HostGate["takeAsked"]>;
  close(): void;
}

/** Prepares the way to hosts; it is opened when the first command needs it. */
export function createWay(hosts: readonly string[], host: Readonly<Record<string, string | undefined>>): Way {
  let open: HostGate | undefined;
  let opening: Promise<string | null> | undefined;
  const openOnce = async () => {
    const opened = await openHostGate({ hosts, env: host });
    if ("problem" in opened) return opened.problem;
    open = opened;
    return null;
  };
  const isOpen = () => hosts.length === 0 || open !== undefined;
  const envOf = () => ({ ...networkVariables(host, { isProxied: false }), ...gateEnvironment });
  return {
    gate: hosts.length === 0 ? undefined : { env: envOf(), open: () => open },
    raise: async () => (isOpen() ? null : (opening ??= openOnce().finally(() => (opening = undefined)))),
    takeAsked: () => open?.takeAsked() ?? { reached: [], refused: [] },
    close() {
      open?.close();
      open = undefined;
    },
  };
}
