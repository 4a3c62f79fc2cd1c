import { sep } from "node:path";

/** Returns a path that the engine reports without `./`, and with `/` between names. */
export function relativePath(printed: string): string {
  const path = sep === "/" ? printed : printed.replaceAll(sep, "/");
  return path.startsWith("./") ? path.slice(2) : path;
}
