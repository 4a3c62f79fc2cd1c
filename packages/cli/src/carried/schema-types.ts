// A separate file that the build keeps apart, because only `toolmount types` loads it.
import { compile } from "json-schema-to-typescript";

/** Compiles a JSON Schema to exported TypeScript types, the outer one under `name`. Rejects for a schema that has no type. */
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
