import { data, type Json, type Tool } from "@toolmount/core";

/** One of the eight services: its tools, and its state as JSON at this moment. */
export interface Service {
  readonly tools: readonly Tool[];
  state(): Json;
}

/** A record of a configuration or a table. It keeps every member that it was given, known or not. */
export type Entry = Record<string, Json>;

/** What a tool that changes nothing says of itself. */
export const read = { category: "read", consequenceLevel: "low", requiresConfirmation: false } as const;

/** What a tool that may change the state says of itself. */
export const write = { category: "write", consequenceLevel: "medium", requiresConfirmation: true } as const;

/** An answer of any shape: most tools of a service answer either with what was asked for or with an `error`. */
export const answer = (value: Json) => data<Json>(value);

/** The service answers that it cannot do this: an ordinary answer, not a failure of the call. */
export const error = (words: string) => answer({ error: words });

/** A member that a record must have. A record without it makes the call fail. */
export function member(record: Entry, name: string): Json {
  if (!Object.hasOwn(record, name)) throw new Error(`a record has no ${name}`);
  return record[name]!;
}

/** A member that must be a text. */
export function textMember(record: Entry, name: string): string {
  const value = member(record, name);
  if (typeof value !== "string") throw new Error(`the ${name} of a record is not a text`);
  return value;
}

/** A list as Python prints it: texts in single quotes, numbers bare. */
export function printList(items: readonly (string | number)[]): string {
  return `[${items.map((item) => (typeof item === "string" ? `'${item}'` : String(item))).join(", ")}]`;
}
