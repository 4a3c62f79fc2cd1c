import type { Json } from "@toolmount/core";
import { refusalOf } from "@toolmount/core/json";

/**
 * Parses a text of a row. Throws for one that is too wide: a damaged row, or one that another program wrote, must not hold up
 * the host.
 */
export function readRow(text: string): unknown {
  const excess = refusalOf(text);
  if (excess !== null) throw new Error(`a row of the store has ${excess}`);
  return JSON.parse(text);
}

/** The value of a row that any host, worker or person with the database can write; null for one that cannot be read. */
export function readForeign(text: string): Json {
  try {
    return readRow(text) as Json;
  } catch {
    return null;
  }
}
