import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";

/** A shell at a pseudo-terminal, as a person uses it. It is gone after the test. */
export interface ShellTerminal {
  /** Types a line, waits until it has ended, and gives what it showed. Throws when it ends with another code than 0. */
  run(line: string, during?: () => Promise<void>): Promise<string>;
  /** Waits until the screen shows a text. Rejects when the shell ends before. */
  until(wanted: RegExp): Promise<void>;
  /** Answers a question by a letter. */
  answer(question: string, letter: string): Promise<void>;
}

/** The prompt says with which code the last line ended, and how many lines there were. */
const prompt = (code: string, line: number) => `[${code} after ${line}]`;

/** Starts bash at a pseudo-terminal of 100 columns. */
export async function shellAtTerminal(
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<ShellTerminal> {
  const emulator = new xterm.Terminal({ cols: 100, rows: 50, scrollback: 5_000, allowProposedApi: true });
  const child = spawn("bash", ["--norc", "--noprofile"], {
    cols: 100,
    rows: 50,
    cwd,
    env: { ...env, TERM: "xterm-256color", PS1: "[$? after $((lines++))] " },
  });
  const watchers = new Set<() => void>();
  let isOver = false;
  const shown = () => watchers.forEach((watch) => watch());
  child.onData((data) => emulator.write(data, shown));
  child.onExit(() => {
    isOver = true;
    shown();
  });
  onTestFinished(() => {
    if (!isOver) child.kill("SIGKILL");
  });
  const text = () => {
    const { active } = emulator.buffer;
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "")
      .join("\n")
      .trimEnd();
  };
  const when = (isWanted: (seen: string) => boolean, wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        const seen = text();
        if (!isWanted(seen) && !isOver) return;
        watchers.delete(look);
        if (isWanted(seen)) resolve();
        else reject(new Error(`the shell ended, and ${wanted} was not to be seen in:\n${seen}`));
      };
      watchers.add(look);
      look();
    });
  const until = (wanted: RegExp) => when((seen) => wanted.test(seen), String(wanted));
  let lines = 0;
  await until(/\[0 after 0\]/);
  return {
    until,
    async answer(question, letter) {
      const isOpen = new RegExp(`◆[^◆◇]*${question}`);
      await until(isOpen);
      // One that comes before the question listens is lost: a person who sees that nothing happens presses it again.
      const again = setInterval(() => child.write(letter), 3_000);
      child.write(letter);
      await when((seen) => !isOpen.test(seen), `an answer to ${question}`).finally(() =>
        clearInterval(again),
      );
    },
    async run(line, during) {
      const before = prompt("0", lines);
      child.write(`${line}\r`);
      lines++;
      await during?.();
      await until(new RegExp(String.raw`\[\d+ after ${lines}\]`));
      const shownSince = text().split(before).at(-1)!;
      if (!shownSince.includes(prompt("0", lines))) throw new Error(`"${line}" failed:\n${shownSince}`);
      return shownSince;
    },
  };
}
