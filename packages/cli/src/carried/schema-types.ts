// In its own file, which the build keeps apart: only `toolmount types` loads it.
import { compile } from "json-schema-to-typescript";

/** Returns a JSON Schema as exported types of TypeScript, the outer one under `name`. Rejects for a schema that has no type. */
export function compileTypes(schema: object, name: string): Promise<string> {
  return compile(schema, name, {
    bannerComment: "",
    format: false,
    unknownAny: true,
    enableConstEnums: false,
    // A schema of a server must not read files or addresses of this machine.
    $refOptions: { resolve: { external: false } },
  });
}
