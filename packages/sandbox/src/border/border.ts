import type { SandboxProof } from "../system/prove-sandbox.ts";

/** The parts of the machine that a process may use. Paths are absolute. */
export interface Grants {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Paths that tools must not change, such as the plan, although a folder around them may be written. */
  readonly denied: readonly string[];
  /** Paths that tools must not read, although a folder around them may be read, unless `read` or `write` names them. */
  readonly secret?: readonly string[] | undefined;
  /** `none` for no network, `any` for all of it, or a list of the only hosts. Undefined means the default of the border. */
  readonly network: "none" | "any" | readonly string[] | undefined;
  readonly memoryMb: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The folder in which the process starts. */
  readonly cwd: string;
}

/** A Node program to start: its file, and the options and code that it needs. */
export interface NodeProgram {
  readonly node: string;
  readonly options: readonly string[];
  readonly file: string;
  /** Folders of the code that the program imports. */
  readonly code: readonly string[];
}

/** A command, and the environment with which it is started. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The filter of system calls, if the border has one. */
  readonly filter?: Uint8Array | undefined;
  /** Folders of the program whose files are in memory, where they count towards the memory limit. */
  readonly foldersInMemory?: readonly string[] | undefined;
  /**
   * Whether the started command enters namespaces that exist already and runs the program there as its child. `killEntered`
   * kills such programs.
   */
  readonly isEntered?: boolean | undefined;
}

/** What keeps a program from the machine: nothing, Node's permission model, bubblewrap, or Anthropic's sandbox-runtime. */
export type BorderName = "none" | "permission" | "bubblewrap" | "srt";

/** A border, or `strictest`: bubblewrap if it works, else permission. */
export type WantedBorder = BorderName | "strictest";

/** Builds the command that starts a program behind a border. */
export interface Border {
  readonly name: BorderName;
  launch(program: NodeProgram, grants: Grants): Launch | Promise<Launch>;
  /**
   * Tries to break out of the border; absent for borders that are not tried like this. With `isFresh`, the result of an earlier
   * trial is not used.
   */
  prove?(grants: Grants, isFresh: boolean): Promise<SandboxProof>;
}
