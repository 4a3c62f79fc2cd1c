import type { JsonSchema } from "@toolmount/core";
import { argumentRows, typeOf } from "./arguments.ts";

/** Returns a tool as a TypeScript function: `read_file({ file_path: string; limit?: number })`. */
export function signatureOf(name: string, inputSchema: JsonSchema): string {
  const rows = argumentRows(inputSchema);
  return rows.length === 0 ? `${name}()` : `${name}(${typeOf(inputSchema)})`;
}
