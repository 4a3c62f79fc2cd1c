import type { Clock } from "../contract/clock.ts";
import type { Coordinator, MountPoints } from "../contract/coordinator.ts";
import type { PlanPosition } from "../contract/errors.ts";
import type { Undo } from "../contract/hooks.ts";
import type { ModuleOptions, MountedModule } from "../contract/host.ts";
import { withTimeout } from "../scheduling/time.ts";
import type { Generation } from "./generation.ts";
import { Registry } from "./registry.ts";

interface Item {
  /** Whether the item is a hook, on which the offer of a session does not depend. */
  readonly isHook?: boolean;
  add(registry: Registry): void;
  remove(registry: Registry): void;
}

/** Modules and what they registered, in a host's current generation or in a draft of the next one. */
export class ModuleSet {
  readonly registry = new Registry();
  readonly modules: ModuleState[] = [];
  /** The generation that {@link generationOf} made of the current registry; null after a change. */
  known: Generation | null = null;
  #offerMark = Symbol("offer");

  /** A new value after every change on which an offer may depend. */
  get offerMark(): symbol {
    return this.#offerMark;
  }

  changed({ isHook = false }: Pick<Item, "isHook"> = {}): void {
    this.known = null;
    if (!isHook) this.#offerMark = Symbol("offer");
  }

  add(module: ModuleState): void {
    addAll(module.items.map((item) => [item, this]));
    this.modules.push(module);
    module.sets.push(this);
    this.changed();
  }

  remove(module: ModuleState): void {
    for (const item of module.items) item.remove(this.registry);
    const at = this.modules.indexOf(module);
    if (at >= 0) this.modules.splice(at, 1);
    module.sets = module.sets.filter((set) => set !== this);
    this.changed();
  }
}

/** Adds each item to the registry of its set. If one fails, removes those before it, and throws. */
function addAll(items: readonly (readonly [Item, ModuleSet])[]): void {
  const added: (typeof items)[number][] = [];
  try {
    for (const [item, set] of items) {
      item.add(set.registry);
      added.push([item, set]);
    }
  } catch (error) {
    for (const [item, set] of added.toReversed()) item.remove(set.registry);
    throw error;
  }
}

/** Runs `work`. Returns a list with the error that it throws, or an empty list. */
export function failureOf(work: () => void): readonly unknown[] {
  try {
    work();
    return [];
  } catch (error) {
    return [error];
  }
}

/** Throws a single failure as it is, and several together as an `AggregateError`. */
export function throwAll(failures: readonly unknown[]): void {
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, "several tools were refused");
}

export class ModuleState implements MountedModule {
  readonly options: ModuleOptions;
  readonly items: Item[] = [];
  readonly cleanups: (() => unknown)[] = [];
  /** The sets that contain the module. A draft and the current generation can share a module. */
  sets: ModuleSet[] = [];
  coordinator!: Coordinator;
  readonly mounted = new Map<keyof MountPoints, Map<string, Undo>>();
  /** Work that adapters postpone until the other modules of a draft are mounted. */
  readonly links: (() => void)[] = [];
  isLinked = true;

  constructor(options: ModuleOptions) {
    this.options = options;
  }

  link(): void {
    this.isLinked = true;
    throwAll(this.links.splice(0).flatMap(failureOf));
  }

  get id(): string {
    return this.options.id;
  }

  get position(): PlanPosition | undefined {
    return this.options.position;
  }

  get toolNames(): readonly string[] {
    return [...(this.sets.at(-1)?.registry.tools.values() ?? [])]
      .filter((tool) => tool.module === this && tool.info.status !== "internal")
      .map((tool) => tool.name);
  }

  /** The newest set that contains the module, which is the set that its coordinator shows. */
  get newestSet(): ModuleSet {
    return this.sets.at(-1)!;
  }

  /** Registers an item in every set that contains the module. The returned function undoes it; so does {@link undo}. */
  register(item: Item): Undo {
    addAll(this.sets.map((set) => [item, set]));
    for (const set of this.sets) set.changed(item);
    this.items.push(item);
    return () => this.#unregister(item);
  }

  #unregister(item: Item): void {
    const at = this.items.indexOf(item);
    if (at < 0) return;
    this.items.splice(at, 1);
    for (const set of this.sets) {
      item.remove(set.registry);
      set.changed(item);
    }
  }

  /** Unregisters everything, then runs the cleanups, newest first, each for at most `ms`. Returns what they threw. */
  async undo(clock: Clock, ms: number): Promise<readonly unknown[]> {
    for (const item of this.items.toReversed()) this.#unregister(item);
    const failures: unknown[] = [];
    for (const cleanup of this.cleanups.splice(0).toReversed()) {
      try {
        await withTimeout<unknown>(clock, ms, Promise.resolve(cleanup()), () =>
          Promise.reject(new Error(`a cleanup of "${this.id}" did not end within ${ms} ms`)),
        );
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }
}
