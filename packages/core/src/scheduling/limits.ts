import { ToolmountError } from "../contract/errors.ts";
import type { HostLimits } from "../contract/host.ts";
import { requireRate } from "./rate.ts";

export type ResolvedLimits = {
  readonly [Key in keyof HostLimits]-?: NonNullable<HostLimits[Key]> | undefined;
} & typeof defaults;

const defaults = {
  outputBytes: 262_144,
  argumentBytes: 1_048_576,
  graceMs: 20,
  queued: 10_000,
  abandoned: 16,
  depth: 8,
  // Each running call listens to its parent's signal, and adding a listener takes time for each listener that is there.
  nested: 256,
  stateBytes: 16_777_216,
  keptBytes: 67_108_864,
  cleanupMs: 5_000,
};

/** Checks the limits of a host and fills in the defaults. Throws `OPTION_INVALID`. */
export function resolveLimits(limits: HostLimits): ResolvedLimits {
  const { timeoutMs, concurrent, concurrentTotal, rate, rateTotal } = limits;
  requireCount("limits.concurrent", concurrent);
  requireCount("limits.concurrentTotal", concurrentTotal);
  if (rate !== undefined) requireRate("limits.rate", rate);
  if (rateTotal !== undefined) requireRate("limits.rateTotal", rateTotal);
  const given = Object.entries(limits).filter(([, value]) => (value ?? null) !== null);
  return {
    timeoutMs,
    concurrent,
    concurrentTotal,
    rate,
    rateTotal,
    ...defaults,
    ...(Object.fromEntries(given) as Partial<typeof defaults>),
  };
}

export function requireCount(option: string, count: number | undefined): void {
  if (count === undefined || isCount(count)) return;
  throw new ToolmountError("OPTION_INVALID", {
    option,
    problem: `it is ${String(count)}; it must be a whole number from 1`,
  });
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1;
}
