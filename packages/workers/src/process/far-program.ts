import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { NodeProgram } from "../border/border.ts";
import { codeFolders } from "../border/code-folders.ts";

const file = fileURLToPath(import.meta.resolve("#far-process"));

/** From the sources, the process imports sources, too. */
const isSource = file.endsWith(".ts");

/** The program that runs the calls of a module in a process. */
export function farProgram(module: string): NodeProgram {
  return {
    node: realpathSync(process.execPath),
    // A neighbour cannot open its inspector by a signal.
    options: ["--disable-sigusr1", ...(isSource ? ["--conditions=@toolmount/source"] : [])],
    file,
    code: codeFolders([file, module]),
  };
}
