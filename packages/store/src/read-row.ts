import type { Json } from "@toolmount/core";
import { refusalOf } from "@toolmount/core/json";

/**
 * Parses the text of a row. Throws if it is too wide: a row that is damaged, or that another program wrote, must not block
 * the host.
 */
export function readRow(text: string): unknown {
  const excess = refusalOf(text);
  if (excess !== null) throw new Error(`a row of the store has ${excess}`);
  return JSON.parse(text);
}

/** Parses a row that any host, worker or person with access to the database can write. Null if it cannot be read. */
export function readForeign(text: string): Json {
  try {
    return readRow(text) as Json;
  } catch {
    return null;
  }
}
