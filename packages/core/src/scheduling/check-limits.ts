import { ToolmountError } from "../contract/errors.ts";
import type { Rate } from "../contract/host.ts";

/** Above 2^31-1 a timer fires at once. */
const maxTimerMs = 2_147_483_647;

/** Throws `OPTION_INVALID` unless it is a whole number from 1, or nothing. */
export function requireCount(option: string, count: number | undefined): void {
  if (count === undefined || isCount(count)) return;
  throw new ToolmountError("OPTION_INVALID", {
    option,
    problem: `it is ${String(count)}; it must be a whole number from 1`,
  });
}

/** Throws `OPTION_INVALID` unless it is a rate, or nothing. */
export function requireRate(option: string, rate: Rate | undefined): void {
  if (rate === undefined || (isCount(rate.calls) && isCount(rate.perMs) && rate.perMs <= maxTimerMs)) return;
  throw new ToolmountError("OPTION_INVALID", {
    option,
    problem: `it is ${JSON.stringify(rate)}; it must have calls and perMs, whole numbers from 1 (perMs to ${maxTimerMs})`,
  });
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1;
}
