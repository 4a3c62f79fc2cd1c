import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { Clock } from "@toolmount/core";
import xterm from "@xterm/headless";
import { onTestFailed } from "vitest";
import { createScreen } from "../../src/screen/screen.ts";

/** Keys, and the text that is shown before they are pressed. */
export interface Press {
  readonly at: string;
  readonly keys: string;
  /** What happens while the person reads. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** A clock on which the time before keys count passes at once. */
export const atOnce: Pick<Clock, "setTimer"> = {
  setTimer(callback) {
    const timer = setImmediate(callback);
    return { cancel: () => clearImmediate(timer), keepAlive: () => {} };
  },
};

/** A person who presses keys when they see the text that each waits for. The time before keys count passes at once. */
export function personAt(presses: readonly Press[]) {
  const emulator = new xterm.Terminal({ cols: 100, rows: 300, convertEol: true, allowProposedApi: true });
  const input = new PassThrough();
  const waiting = [...presses];
  let [shown, from] = ["", 0];
  onTestFailed(() => {
    const left = waiting.map(({ at }) => at).join(", ");
    if (waiting.length > 0) process.stdout.write(`${shown.slice(from)}\nnot shown: ${left}\n`);
  });
  const write = (text: string) => {
    emulator.write(text);
    shown += stripVTControlCharacters(text);
    const [next] = waiting;
    const at = next === undefined ? -1 : shown.indexOf(next.at, from);
    if (next === undefined || at === -1) return;
    waiting.shift();
    from = at + next.at.length;
    void Promise.resolve(next.meanwhile?.()).then(() => setTimeout(() => press(next.keys), 20));
  };
  // A key that comes before a question listens is lost: a person who sees that nothing happens presses it again.
  const press = (keys: string) => {
    const before = shown.length;
    input.write(keys);
    setTimeout(() => void (shown.length === before && press(keys)), 5_000).unref();
  };
  const output = new PassThrough().on("data", (chunk: Buffer) => write(chunk.toString()));
  return {
    screen: createScreen({ isTTY: true, columns: 100, write }, { NO_COLOR: "1" }),
    terminal: { input, output, clock: atOnce },
    /** What was not pressed yet. */
    left: waiting as readonly Press[],
    seen: async () => {
      await new Promise<void>((resolve) => emulator.write("", resolve));
      return `${readScreen(emulator)}\n`;
    },
  };
}

/** The whole text of a terminal, with what has left the screen. */
export function readScreen({ buffer: { active } }: xterm.Terminal): string {
  const lines = Array.from(
    { length: active.length },
    (_, at) => active.getLine(at)?.translateToString(true) ?? "",
  );
  return lines.join("\n").trimEnd();
}
