import type { SandboxProof } from "../system/prove-sandbox.ts";

/** What a process may use of the machine. Paths are absolute. */
export interface Grants {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** What tools must not change although a folder around it may be written, such as the plan. */
  readonly denied: readonly string[];
  /** What tools must not read although a folder around it may be read, unless `read` or `write` names it. */
  readonly secret?: readonly string[] | undefined;
  /** Nothing, everything, or only these hosts; default as the border has it. */
  readonly network: "none" | "any" | readonly string[] | undefined;
  readonly memoryMb: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Current folder of the process. */
  readonly cwd: string;
}

/** A program of Node to start: its file and the options and files that it must be able to read. */
export interface NodeProgram {
  readonly node: string;
  readonly options: readonly string[];
  readonly file: string;
  /** Folders of the code that the program imports. */
  readonly code: readonly string[];
}

/** What is started, and with which environment. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The filter of system calls, where the border has one. */
  readonly filter?: Uint8Array | undefined;
  /** Folders inside whose files are in memory, which counts against the limit. */
  readonly foldersInMemory?: readonly string[] | undefined;
  /** Whether the program is a child of what is started, in namespaces that it enters: they are killed by `killEntered`. */
  readonly isEntered?: boolean | undefined;
}

/** The name of a border. */
export type BorderName = "none" | "permission" | "bubblewrap" | "srt";

/** A border, or `strictest`: bubblewrap where it works, else permission. */
export type WantedBorder = BorderName | "strictest";

/** Builds the command that starts a program behind a border. */
export interface Border {
  readonly name: BorderName;
  launch(program: NodeProgram, grants: Grants): Launch | Promise<Launch>;
  /** Tries to break out of it, where there is a table of attempts; `isFresh` does not use what an earlier trial found. */
  prove?(grants: Grants, isFresh: boolean): Promise<SandboxProof>;
}
