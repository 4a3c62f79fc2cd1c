import type { Clock } from "../contract/clock.ts";
import type { Coordinator, MountPoints } from "../contract/coordinator.ts";
import type { PlanPosition } from "../contract/errors.ts";
import type { Undo } from "../contract/hooks.ts";
import type { ModuleOptions, MountedModule } from "../contract/host.ts";
import { Generation, Registry } from "./registry.ts";

/** One thing a module registered: how it enters a registry, and how it leaves. */
export interface Item {
  add(registry: Registry): void;
  remove(registry: Registry): void;
}

/** A set of modules with what they registered: the current generation of a host, or a draft of the next. */
export class Home {
  readonly registry = new Registry();
  readonly modules: ModuleState[] = [];
  #generation: Generation | null = null;

  /** What calls see now; the same object until something changes. */
  generation(): Generation {
    return (this.#generation ??= new Generation(this.registry));
  }

  changed(): void {
    this.#generation = null;
  }

  adopt(module: ModuleState): void {
    const entered: Item[] = [];
    try {
      for (const item of module.items) {
        item.add(this.registry);
        entered.push(item);
      }
    } catch (error) {
      for (const item of entered.toReversed()) item.remove(this.registry);
      throw error;
    }
    this.modules.push(module);
    module.homes.push(this);
    this.changed();
  }

  release(module: ModuleState): void {
    for (const item of module.items) item.remove(this.registry);
    const at = this.modules.indexOf(module);
    if (at >= 0) this.modules.splice(at, 1);
    module.homes = module.homes.filter((home) => home !== this);
    this.changed();
  }
}

/** One module: its options, its coordinator, and all that it registered, in order. */
export class ModuleState implements MountedModule {
  readonly options: ModuleOptions;
  readonly items: Item[] = [];
  readonly cleanups: (() => unknown)[] = [];
  homes: Home[] = [];
  coordinator!: Coordinator;
  readonly mounted = new Map<keyof MountPoints, Map<string, Undo>>();

  constructor(options: ModuleOptions) {
    this.options = options;
  }

  get id(): string {
    return this.options.id;
  }

  get position(): PlanPosition | undefined {
    return this.options.position;
  }

  get toolNames(): readonly string[] {
    return [...(this.homes.at(-1)?.registry.tools.values() ?? [])]
      .filter((tool) => tool.module === this)
      .map((tool) => tool.name);
  }

  /** The home whose view this module has: the newest it is in. */
  get home(): Home {
    return this.homes.at(-1)!;
  }

  /** Registers an item wherever the module is. Undone by what comes back, or with the module. */
  register(item: Item): Undo {
    const entered: Home[] = [];
    try {
      for (const home of this.homes) {
        item.add(home.registry);
        entered.push(home);
        home.changed();
      }
    } catch (error) {
      for (const home of entered) item.remove(home.registry);
      throw error;
    }
    this.items.push(item);
    return () => this.take(item);
  }

  take(item: Item): void {
    const at = this.items.indexOf(item);
    if (at < 0) return;
    this.items.splice(at, 1);
    for (const home of this.homes) {
      item.remove(home.registry);
      home.changed();
    }
  }

  /**
   * Takes everything back, newest first, then runs the cleanups, newest first, each for at most `ms`. What they throw, and
   * which of them were left behind, comes back.
   */
  async undo(clock: Clock, ms: number): Promise<readonly unknown[]> {
    for (const item of this.items.toReversed()) this.take(item);
    const failures: unknown[] = [];
    for (const cleanup of this.cleanups.splice(0).toReversed()) {
      try {
        await within(
          clock,
          ms,
          cleanup,
          () => new Error(`a cleanup of "${this.id}" did not end within ${ms} ms`),
        );
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }
}

/** A cleanup that never ends must not keep a host from closing. */
async function within(clock: Clock, ms: number, cleanup: () => unknown, late: () => Error): Promise<void> {
  const work = Promise.resolve(cleanup());
  await new Promise<void>((resolve, reject) => {
    const timer = clock.setTimer(() => reject(late()), ms);
    work.then(() => resolve(), reject).finally(() => timer.cancel());
  });
}
