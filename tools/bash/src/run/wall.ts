import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import { gateEnvironment, networkVariables, openHostGate, type HostGate } from "@toolmount/sandbox";
import type { Gate } from "./bubblewrap.ts";

/** The sandbox around commands: whether it is used and, if not, why. */
interface Wall {
  /** Whether commands may run only in the sandbox. */
  readonly isNeeded: boolean;
  readonly isUp: boolean;
  /** Returns why the sandbox is not used, but only once. Null if the sandbox is used, and at later calls. */
  takeProblem(): string | null;
  /** Tries out the sandbox once; after a failure again, if the sandbox is required. Resolves to the problem, or to null. */
  raise(): Promise<string | null>;
}

interface WallPlace {
  readonly isolation: "auto" | "none" | "bubblewrap";
  /** Whether no command may run without the sandbox: no person is asked, or only some hosts of the network are allowed. */
  readonly isRequired: boolean;
  readonly probe: () => Promise<string | null>;
  readonly temporary: TemporaryFolder;
}

/** Prepares the sandbox. It is tried out when the first command needs it. */
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

/** Chooses a new folder within the system's folder for temporary files. */
export function createTemporaryFolder(): TemporaryFolder {
  const path = join(tmpdir(), `toolmount-tmp-${randomUUID()}`);
  return {
    path,
    make: () => makeFolder(path, 0o700),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The connection of commands to the hosts that the plan lists. */
interface Way {
  /** The gate for launchers of commands; undefined if the plan lists no hosts. */
  readonly gate: Gate | undefined;
  /** Opens the connection, unless it is open. Resolves to the problem, or to null. */
  raise(): Promise<string | null>;
  /** Returns the hosts that commands asked for since the last call of this method. */
  takeAsked(): ReturnType<HostGate["takeAsked"]>;
  close(): void;
}

/** Prepares the connection to hosts. It is opened when the first command needs it. */
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
