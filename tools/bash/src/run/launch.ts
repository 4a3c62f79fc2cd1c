import { markName } from "./find-processes.ts";
import type { Environment } from "./environment.ts";

/** What is to be started. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** Whether `file` is a sandbox, which reports on descriptor 3. */
  readonly sandbox: boolean;
  /** What the sandbox gets as its filter of system calls. */
  readonly filter?: Uint8Array | undefined;
}

/** Makes the launch of a command. The command itself is handed over as it is, byte for byte. */
export type Launcher = (command: string, mark: string) => Launch;

export interface LaunchPlace {
  readonly shell: string;
  readonly env: Environment;
  readonly cwd: string;
}

/** A shell that reads no start-up files. */
export function shellArguments(command: string): readonly string[] {
  return ["--noprofile", "--norc", "-c", command];
}

/** Runs commands as what they are: with the host's rights. */
export function plainLauncher({ shell, env, cwd }: LaunchPlace): Launcher {
  return (command, mark) => ({
    file: shell,
    args: shellArguments(command),
    env: { ...env, [markName]: mark },
    cwd,
    sandbox: false,
  });
}
