import { markName } from "./find-processes.ts";
import type { Environment } from "./environment.ts";

/** The program to start, with its arguments, environment and folder. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** Whether `file` is a sandbox, which reports on descriptor 3. */
  readonly sandbox: boolean;
  /** The filter of system calls that the sandbox gets. */
  readonly filter?: Uint8Array | undefined;
}

/** Makes the launch of a command. The text of the command is passed on unchanged. */
export type Launcher = (command: string, mark: string) => Launch;

export interface LaunchPlace {
  readonly shell: string;
  readonly env: Environment;
  readonly cwd: string;
}

/** Returns the arguments for a shell that reads no start-up files. */
export function shellArguments(command: string): readonly string[] {
  return ["--noprofile", "--norc", "-c", command];
}

/** Creates a launcher without a sandbox: commands run with the host's rights. */
export function plainLauncher({ shell, env, cwd }: LaunchPlace): Launcher {
  return (command, mark) => ({
    file: shell,
    args: shellArguments(command),
    env: { ...env, [markName]: mark },
    cwd,
    sandbox: false,
  });
}
