import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";
import { readScreen } from "./person.ts";
import { command, root } from "./workspace.ts";

export const keys = {
  up: "\u001b[A",
  down: "\u001b[B",
  enter: "\r",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
} as const;

/** What the last line of a question begins with when keys count. */
export const ready = /└ {2}Press /;

/** The command at a real terminal, whose screen can be read as a person reads it. */
export interface AtTerminal {
  press(...presses: readonly string[]): void;
  /** Waits until what is on the screen, or was, is as wanted, and gives it. Rejects when the command ends before. */
  until(wanted: RegExp): Promise<string>;
  /** The whole text, with what has left the screen. */
  text(): string;
  /** The bytes as they came. */
  bytes(): string;
  resize(columns: number, rows: number): void;
  /** Closes the terminal under the command. */
  hangUp(): void;
  readonly pid: number;
  /** The exit code, once all is shown. */
  readonly ended: Promise<number>;
  readonly emulator: xterm.Terminal;
}

export interface TerminalOptions {
  /** What Node runs; the command, unless said otherwise. */
  readonly program?: readonly string[];
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Changes what came before it is shown: what differs from run to run. */
  readonly mask?: (text: string) => string;
}

/** Starts the command at a pseudo-terminal; it is gone after the test. */
export function atTerminal(
  words: readonly string[],
  {
    program = command,
    cwd = root,
    columns = 100,
    rows = 40,
    env = {},
    mask = (text) => text,
  }: TerminalOptions = {},
): AtTerminal {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const plain = { PATH, HOME, NODE_COMPILE_CACHE, TERM: "xterm-256color" };
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true });
  const child = spawn(process.execPath, [...program, ...words], {
    cols: columns,
    rows,
    cwd,
    env: { ...plain, ...env },
  });
  const watchers = new Set<() => void>();
  let came = "";
  let isOver = false;
  const shown = () => watchers.forEach((watch) => watch());
  child.onData((data) => {
    came += data;
    emulator.write(mask(data), shown);
  });
  const ended = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) =>
      emulator.write("", () => {
        isOver = true;
        shown();
        resolve(exitCode);
      }),
    );
  });
  onTestFinished(() => {
    if (!isOver) child.kill("SIGKILL");
  });
  const text = () => readScreen(emulator);
  return {
    press: (...presses) => presses.forEach((key) => child.write(key)),
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const seen = text();
          if (!wanted.test(seen) && !isOver) return;
          watchers.delete(look);
          if (wanted.test(seen)) resolve(seen);
          else reject(new Error(`the command ended, and ${String(wanted)} was not to be seen in:\n${seen}`));
        };
        watchers.add(look);
        look();
      }),
    text,
    bytes: () => came,
    resize(newColumns, newRows) {
      emulator.resize(newColumns, newRows);
      child.resize(newColumns, newRows);
    },
    hangUp: () => child.kill("SIGHUP"),
    pid: child.pid,
    ended,
    emulator,
  };
}
