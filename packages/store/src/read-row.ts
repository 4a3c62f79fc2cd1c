import type { Json } from "@toolmount/core";
import { excessOf } from "@toolmount/core/internal";

/** Characters up to which no JSON text is too wide to parse. */
export const narrowLength = 65_536;

/** A text of a row. Throws for one that is too wide to parse: others may have written it, and to parse it would hold up the host. */
export function narrow(text: string): string {
  const excess = excessOf(text);
  if (excess !== null) throw new Error(`a row of the store has ${excess}`);
  return text;
}

/** The value of a row that any host, worker or person with the database can write; null for one that cannot be read. */
export function readForeign(text: string): Json {
  try {
    return JSON.parse(narrow(text)) as Json;
  } catch {
    return null;
  }
}
