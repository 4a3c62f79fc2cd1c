import type { Readable, Writable } from "node:stream";
import type { Screen } from "../screen/screen.ts";
import type { QuestionTerminal } from "./choose.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { CallWatch } from "./watchdog.ts";

/**
 * How much the command logs. `normal`: warnings and errors. `quiet`: only errors. `verbose`: also messages of tools and modules.
 * `debug`: with stacks.
 */
export type Verbosity = "normal" | "quiet" | "verbose" | "debug";

/** Global options. The program sets them before it runs a command. */
interface Settings {
  verbosity: Verbosity;
  /** The value of `--plan`. */
  plan: string | undefined;
}

/** Everything that commands read from the process and write to it, so that tests can replace it. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly settings: Settings;
  readonly input: Readable;
  /** Receives answers. */
  readonly out: Screen;
  /** Receives errors, warnings and questions. */
  readonly err: Screen;
  /** The terminal for questions; undefined if the command does not run at a terminal. */
  readonly terminal: QuestionTerminal | undefined;
  /** Watches running calls, and ends the process if one blocks the thread past its deadline. */
  readonly calls: CallWatch;
  /** Opens stdout as a stream for a protocol. Afterwards no other code may write answers. */
  openAnswerStream(): Writable;
  /** Sets the exit code. */
  end(code: ExitCode): void;
  /** Runs work that Ctrl-C aborts; a second Ctrl-C ends the process. */
  interruptible<Value>(
    work: (controller: AbortController) => Promise<Value>,
    /** `onHangUp` is called for SIGHUP, which then does not abort the work. */
    options?: { readonly onHangUp?: () => void },
  ): Promise<Value>;
}

/** A shell that can ask a person, because it runs at a terminal. */
export type AskingShell = Pick<Shell, "err"> & { readonly terminal: QuestionTerminal };

/** Returns a shell with some parts replaced. It inherits the others, so those that open on first use are not opened. */
export function shellWith(shell: Shell, parts: Partial<Shell>): Shell {
  return Object.create(shell, Object.getOwnPropertyDescriptors(parts)) as Shell;
}
