// The build keeps this file apart from the others, because only `toolmount types` loads its large dependency.
import { compile } from "json-schema-to-typescript";

/**
 * Compiles a JSON Schema to TypeScript types, which are exported; the outer type is called `name`. Rejects for a schema that the
 * compiler cannot read.
 */
export function compileTypes(schema: object, name: string): Promise<string> {
  return compile(schema, name, {
    bannerComment: "",
    format: false,
    unknownAny: true,
    enableConstEnums: false,
    // A schema comes from a server, so its references must not make this process read files or addresses.
    $refOptions: { resolve: { external: false } },
  });
}
