import { isToolmountError, type Coordinator, type MountPoints, type ToolmountError } from "@toolmount/core";

/** A value that a module mounted as a tool. */
export interface TriedTool {
  readonly thing: unknown;
  readonly name: string;
  readonly refused: ToolmountError | null;
}

/** A coordinator that records what is mounted through it. */
export interface MountWatch {
  readonly coordinator: Coordinator;
  readonly things: readonly TriedTool[];
  has(thing: unknown): boolean;
  /** Whether the module mounted or registered anything. */
  isUsed(): boolean;
}

/** Records the tools that are mounted through a coordinator, and whether the module registers anything. */
export function watchMounts(coordinator: Coordinator): MountWatch {
  const things: TriedTool[] = [];
  let isUsed = false;
  const touch = () => void (isUsed = true);
  const watched = {
    ...noting(coordinator, ["provide", "registerCapability", "registerContributor"], touch),
    hooks: noting(coordinator.hooks, ["gate", "observe", "register", "on"], touch),
    mount: (point: keyof MountPoints, thing: never, mounting?: { name?: string | undefined }) => {
      isUsed = true;
      if (point !== "tools") return coordinator.mount(point, thing, mounting);
      const name = guessName(thing);
      try {
        const undo = coordinator.mount(point, thing, mounting);
        things.push({ thing, name, refused: null });
        return undo;
      } catch (error) {
        if (!isToolmountError(error)) throw error;
        things.push({ thing, name, refused: error });
        return () => {};
      }
    },
  } as Coordinator;
  return {
    coordinator: watched,
    things,
    has: (thing) => things.some((tried) => tried.thing === thing),
    isUsed: () => isUsed,
  };
}

/** Returns an object with the same methods. Those listed in `names` call `note` first. */
function noting<Methods extends object>(
  target: Methods,
  names: readonly (keyof Methods)[],
  note: () => void,
): Methods {
  const noted = names.map((name) => {
    const method = target[name] as (...parameters: unknown[]) => unknown;
    const call = (...parameters: unknown[]) => {
      note();
      return Reflect.apply(method, target, parameters);
    };
    return [name, call];
  });
  return { ...target, ...(Object.fromEntries(noted) as Partial<Methods>) };
}

function guessName(thing: unknown): string {
  try {
    const { ToolName, name } = thing as { ToolName?: unknown; name?: unknown };
    if (typeof ToolName === "string" && ToolName !== "") return ToolName;
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}
