import { InvalidArgumentError } from "commander";

/** Reads a number of runs or turns. */
export function readCount(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1.");
}

/** Reads the names of two tools. */
export function readPair(text: string): readonly [string, string] {
  const [one = "", other = "", ...more] = text.split(",").map((name) => name.trim());
  if (one === "" || other === "" || more.length > 0)
    throw new InvalidArgumentError("It is the names of two tools, as read_file,grep.");
  return [one, other];
}

/** Reads a share or an amount. */
export function readNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0)) throw new InvalidArgumentError("It is a number from 0 on.");
  return number;
}

/** What all evaluations may cost, and the milliseconds that 95 % of the turns may take. */
export type Bounds = Readonly<Partial<Record<"cost" | "p95", number>>>;

/** Reads one bound beside those before it. */
export function readBound(text: string, before: Bounds = {}): Bounds {
  const [, name, amount = ""] = /^(cost|p95)=(.+)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It is cost=<amount> or p95=<ms>.");
  return { ...before, [name]: readNumber(amount) };
}
