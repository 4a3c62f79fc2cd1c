import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { findProgram } from "../system/bubblewrap.ts";
import { memoryOption } from "./memory-option.ts";
import type { Border, Launch } from "./border.ts";

/** A separate process without a border: it has the rights of the host's user. */
export const plainBorder: Border = {
  name: "none",
  launch: ({ node, options, file }, { env, memoryMb }) =>
    endWithParent({
      file: node,
      args: [...memoryOption(memoryMb), ...options, file],
      env: { ...compileCache(), ...env },
    }),
};

/**
 * Returns the folder in which this process caches compiled code, if there is one, so that the new process starts sooner. Not
 * used for real borders, behind which only granted files can be read.
 */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  // Node adds a subfolder for its version and platform, so the folder above it is passed on.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Returns the command that starts a program by `setpriv`, if the system has it, so that the kernel kills the program when the
 * host dies without ending it. The program would also end by itself, but not while a tool blocks it.
 */
export function endWithParent({ file, args, env }: Launch, platform = process.platform): Launch {
  const setpriv = platform === "linux" ? findProgram("setpriv", env["PATH"]) : undefined;
  if (setpriv === undefined) return { file, args, env };
  return { file: setpriv, args: ["--pdeathsig", "KILL", "--", file, ...args], env };
}
