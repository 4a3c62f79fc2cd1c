import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { NodeProgram } from "../border/border.ts";
import { codeFolders } from "../border/code-folders.ts";

/** From the sources, the process is started from its source, too. */
const isSource = import.meta.url.endsWith(".ts");
const file = fileURLToPath(new URL(`../far/main.${isSource ? "ts" : "js"}`, import.meta.url));

/** The program that runs the calls of a module in a process. */
export function farProgram(module: string): NodeProgram {
  return {
    node: realpathSync(process.execPath),
    options: isSource ? ["--conditions=@toolmount/source"] : [],
    file,
    code: codeFolders([file, module]),
  };
}
