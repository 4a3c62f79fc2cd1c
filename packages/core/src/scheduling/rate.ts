import { ToolmountError } from "../contract/errors.ts";

/** Longest delay of a timer in milliseconds: above 2^31-1 it fires immediately. */
export const maxTimerMs = 2_147_483_647;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

/** The form of a rate in words, for messages. */
export const rateForm = "a number of calls and a time, such as 10/s, 100/min or 500/15min";

/** Reads a rate: at most `calls` in any `perMs` milliseconds. Null for a text of another form, or a time above 24 days. */
export function readRate(text: string): { readonly calls: number; readonly perMs: number } | null {
  const [, count, times = "1", unit = ""] =
    /^([1-9]\d{0,8})\/([1-9]\d{0,9})?(ms|s|min|h)$/.exec(String(text)) ?? [];
  if (count === undefined) return null;
  const perMs = Number(times) * units[unit]!;
  return perMs > maxTimerMs ? null : { calls: Number(count), perMs };
}

/** Reads a rate as {@link readRate} does. Throws `OPTION_INVALID` for another text. */
export function requireRate(option: string, rate: string) {
  const read = readRate(rate);
  if (read !== null) return read;
  const problem = `it is ${JSON.stringify(rate)}; it must be ${rateForm}`;
  throw new ToolmountError("OPTION_INVALID", { option, problem });
}
