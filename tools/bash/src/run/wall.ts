import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "@toolmount/paths";

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
  /** Commands are not asked about, so none may run without it. */
  readonly isContained: boolean;
  readonly probe: () => Promise<string | null>;
  readonly temporary: TemporaryFolder;
}

/** Prepares the sandbox. It is tried when the first command needs it. */
export function createWall({ isolation, isContained, probe, temporary }: WallPlace): Wall {
  let tried: Promise<string | null> | null = null;
  const isNeeded = isContained || isolation === "bubblewrap";
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
