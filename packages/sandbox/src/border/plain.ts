import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { findProgram } from "../system/bubblewrap.ts";
import { memoryOption } from "./memory-option.ts";
import type { Border, Launch } from "./border.ts";

/** A process of its own without a border: it has the rights of the host's user. */
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
 * The folder in which this process keeps compiled code, where it has one: another starts sooner with it. Not for borders,
 * behind which nothing but granted files can be read.
 */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  // Node adds a folder for its version and platform.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Starts a program by `setpriv`, where there is one, so that the kernel kills it when the host ends without doing it. The
 * process would also end by itself, but not while a tool blocks it.
 */
export function endWithParent({ file, args, env }: Launch, platform = process.platform): Launch {
  const setpriv = platform === "linux" ? findProgram("setpriv", env["PATH"]) : undefined;
  if (setpriv === undefined) return { file, args, env };
  return { file: setpriv, args: ["--pdeathsig", "KILL", "--", file, ...args], env };
}
