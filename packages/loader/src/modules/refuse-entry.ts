import { ToolmountError } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import type { PackageFacts } from "./manifest.ts";

/**
 * Throws if `broken` names a `package.json` that cannot be read, because the package is installed and must not be reported as
 * missing.
 */
export function requireReadable(module: string, broken: string | undefined): void {
  if (broken === undefined) return;
  const problem = `its ${broken} is not JSON, or cannot be read; install the package again, or fix the file`;
  throw new ToolmountError("MODULE_IMPORT_FAILED", { module, problem });
}

/** Tests whether the `exports` of a package name files only for `require`. They cannot be used, because modules are imported. */
function isForRequire(exports: unknown): boolean {
  const main = isRecord(exports) && "." in exports ? exports["."] : exports;
  const keys = isRecord(main) ? Object.keys(main) : [];
  return keys.includes("require") && !keys.some((key) => ["import", "node", "default"].includes(key));
}

/** Throws the error for a package that is installed but has no main entry file. */
export function failToEnter(module: string, facts: PackageFacts): never {
  throw new ToolmountError("MODULE_IMPORT_FAILED", { module, problem: howToEnter(facts) });
}

/** Explains how to use a package without a main entry: by one of its other entries, or by starting it as a program. */
function howToEnter({ folder, name, exports, mcpProgram }: PackageFacts): string {
  const server = mcpProgram === undefined ? "" : serverLine(mcpProgram);
  const [first, ...more] = otherEntries(exports).map((key) => `${name}${key.slice(1)}`);
  if (first !== undefined) {
    const others = more.length > 0 ? `, or ${more.slice(0, 11).join(", ")}` : "";
    const program = mcpProgram === undefined ? "" : `; it is also a server of MCP: ${server}`;
    return `it has no main entry; name one of its others in the plan's entry: module: "${first}"${others}${program}`;
  }
  if (mcpProgram !== undefined)
    return `it is a server of MCP, a program; write ${server} in the plan's entry`;
  return isForRequire(exports)
    ? `its exports in ${folder}/package.json have a file for require only, and modules are imported; add "default" to its exports`
    : `its package.json in ${folder} names no file that exists; build the package, or fix its exports`;
}

/** Returns the line of a plan's entry for an MCP server that is started as a program. */
export function serverLine(program: string): string {
  return `source: { mcp: { command: npx, args: [--no, ${program}] } }`;
}

function otherEntries(exports: unknown): readonly string[] {
  const keys = isRecord(exports) ? Object.keys(exports) : [];
  return keys.filter((key) => /^\.\/[\w./-]+$/.test(key) && !key.endsWith(".json"));
}
