import type { Resolution } from "../modules/resolve.ts";

interface Resolved {
  readonly resolution: Resolution | undefined;
}

/** Capabilities that must be registered before a module mounts, by its manifest. */
export function needsOf({ resolution }: Resolved): readonly string[] {
  return resolution?.manifest?.needs ?? [];
}

/** Capabilities that a module registers, by its manifest. */
export function providesOf({ resolution }: Resolved): readonly string[] {
  return resolution?.manifest?.provides ?? [];
}

/** Orders modules after those that they need, else as in the plan. A circle ends where it is first met: that module is then refused. */
export function orderByNeeds<Use extends Resolved>(uses: readonly Use[]): Use[] {
  const ordered = new Set<Use>();
  const entered = new Set<Use>();
  const place = (use: Use) => {
    if (entered.has(use)) return;
    entered.add(use);
    for (const need of needsOf(use))
      for (const other of uses) if (providesOf(other).includes(need)) place(other);
    ordered.add(use);
  };
  for (const use of uses) place(use);
  return [...ordered];
}
