import { existsSync } from "node:fs";
import { win32 } from "node:path";

/** The system on which a program is searched. Tests use another one. */
export interface ProgramSystem {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists?: ((file: string) => boolean) | undefined;
}

/** A command in the form that `spawn` and `execFile` take. */
export interface ProgramCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly windowsVerbatimArguments?: true };
}

/**
 * Returns how a program is started without a shell that reads its arguments.
 *
 * On Windows, `npm`, `npx` and other programs of packages are batch files, which only cmd.exe can run, so their arguments are
 * escaped for it. Throws a RangeError for an argument that cmd.exe cannot take, which is one with a line break or a NUL.
 */
export function programCommand(
  command: string,
  args: readonly string[],
  { platform, env, exists = existsSync }: ProgramSystem,
): ProgramCommand {
  if (platform !== "win32") return { file: command, args, options: {} };
  const variable = (name: string) => Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
  const file = findOnWindows(
    command,
    variable("PATH") ?? "",
    variable("PATHEXT") ?? ".COM;.EXE;.BAT;.CMD",
    exists,
  );
  if (file === undefined || !/\.(?:cmd|bat)$/i.test(file))
    return { file: file ?? command, args, options: {} };
  const unfit = args.find((argument) => /[\r\n\0]/.test(argument));
  if (unfit !== undefined)
    throw new RangeError(
      `"${file}" is a batch file, and ${JSON.stringify(unfit.slice(0, 100))} has a line break`,
    );
  const line = [escapeMeta(file), ...args.map(escapeArgument)].join(" ");
  return {
    file: variable("COMSPEC") ?? "cmd.exe",
    args: ["/d", "/s", "/c", `"${line}"`],
    options: { windowsVerbatimArguments: true },
  };
}

function findOnWindows(
  command: string,
  path: string,
  extensions: string,
  exists: (file: string) => boolean,
): string | undefined {
  const isPath = /[\\/]/.test(command);
  const folders = isPath ? [""] : path.split(";").filter(Boolean);
  // `npm` without an extension is a script for other systems, in the same folder as npm.cmd.
  const endings = win32.extname(command) === "" ? extensions.toLowerCase().split(";") : [""];
  return folders
    .flatMap((folder) => endings.map((ending) => win32.join(folder, command + ending)))
    .find(exists);
}

/** Characters with a special meaning for cmd.exe. Source: the package cross-spawn, lib/util/escape.js. */
const meta = /[()\][%!^"`<>&|;, *?]/g;

function escapeMeta(text: string): string {
  return text.replaceAll(meta, "^$&");
}

/**
 * Quotes an argument in the way that Windows programs read it, then escapes it twice, because cmd.exe reads it twice: to start
 * the batch file, and on the batch file's own line. Source: cross-spawn, which escapes twice for the files of npm.
 */
function escapeArgument(argument: string): string {
  const quoted = `"${argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1")}"`;
  return escapeMeta(escapeMeta(quoted));
}
