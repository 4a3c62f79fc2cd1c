import type { Json } from "@toolmount/core";
import type { Random } from "./random.ts";
import { answer, error, type Entry } from "./service.ts";

/** A broker's state. */
export interface Broker {
  /** By id; keys of a configuration that are not digits stay texts. */
  readonly orders: Map<string | number, Json>;
  readonly account: Entry;
  readonly stocks: Record<string, Entry>;
  readonly watchList: string[];
  readonly transactions: Entry[];
  readonly marketStatus: string;
  readonly random: Random;
  authenticated: boolean;
  orderCounter: number;
}

export const needsLogin = (to: string) => error(`User not authenticated. Please log in to ${to}`);

/** A list in place of an answer: that is how these tools refuse. */
export const listedError = (words: string) => answer([{ error: words }]);
