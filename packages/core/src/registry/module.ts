import type { Clock } from "../contract/clock.ts";
import type { Coordinator, MountPoints } from "../contract/coordinator.ts";
import type { PlanPosition } from "../contract/errors.ts";
import type { Undo } from "../contract/hooks.ts";
import type { ModuleOptions, MountedModule } from "../contract/host.ts";
import { withTimeout } from "../scheduling/time.ts";
import type { Generation } from "./generation.ts";
import { Registry } from "./registry.ts";

interface Item {
  /** A hook: what a session is offered does not depend on it. */
  readonly isHook?: boolean;
  add(registry: Registry): void;
  remove(registry: Registry): void;
}

/** Modules and what they registered: those of a host's current generation, or of a draft of the next one. */
export class ModuleSet {
  readonly registry = new Registry();
  readonly modules: ModuleState[] = [];
  /** What {@link generationOf} made of the registry as it is. */
  known: Generation | null = null;
  #offerMark = Symbol("offer");

  /** Another value whenever something was registered or undone that an offer may depend on. */
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

/** Adds each item to the registry of its set, or none of them. */
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

/** What some work throws, in a list. */
export function failureOf(work: () => void): readonly unknown[] {
  try {
    work();
    return [];
  } catch (error) {
    return [error];
  }
}

/** Throws one failure, or several together, in an `AggregateError`. */
export function throwAll(failures: readonly unknown[]): void {
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, "several tools were refused");
}

export class ModuleState implements MountedModule {
  readonly options: ModuleOptions;
  readonly items: Item[] = [];
  readonly cleanups: (() => unknown)[] = [];
  /** The sets that have the module: a draft and the current generation can share one. */
  sets: ModuleSet[] = [];
  coordinator!: Coordinator;
  readonly mounted = new Map<keyof MountPoints, Map<string, Undo>>();
  /** What adapters put off until the other modules of a draft are there. */
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

  /** The newest set that has the module: the one that its coordinator shows. */
  get newestSet(): ModuleSet {
    return this.sets.at(-1)!;
  }

  /** Registers an item in every set that has the module. The returned function undoes it; so does {@link undo}. */
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
