import { nearestNames } from "@toolmount/core/nearest";

/** Modules of toolmount that a plan can name by their short name: packages `@toolmount/tool-<name>` of the npm registry. */
const knownModules: readonly string[] = [
  "bash",
  "delegate",
  "discovery",
  "filesystem",
  "hello-world",
  "modes",
  "search",
  "testing",
  "todo",
  "web",
];

/**
 * What to do about a package that is not installed. Only a name that is known for certain gives an install command:
 * whatever a mistyped name installs may be anybody's package.
 */
export function hintForPackage(written: string): string {
  const short = written.replace(/^(?:npm:)?(?:@toolmount\/tool-)?/, "");
  if (knownModules.includes(short)) return `npm install @toolmount/tool-${short}`;
  const [near] = nearestNames(short, knownModules);
  if (near !== undefined) return `did you mean "${near}"?`;
  return "install the package that you trust under this name, or write the path of a file, such as ./my-tool.ts";
}
