import { countOf } from "./count.ts";
import { printable } from "./printable.ts";
import type { Screen } from "./screen.ts";

/**
 * The last line of a terminal while something runs: the name of the first running call, the number of others, and the seconds.
 */
export interface StatusLine {
  /** Shows `running` as the names of what runs now; an empty list removes the line. The line appears after half a second. */
  show(running: readonly string[]): void;
  /** Returns a screen for the same terminal that removes the line before it writes. The line returns with the next update. */
  over(screen: Screen): Screen;
}

/** Milliseconds before the line appears, and between two updates of it. */
const waitMs = 500;
const stepMs = 120;

const marks = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Creates a status line. It shows nothing if the screen is not a terminal. */
export function createStatusLine(
  screen: Screen,
  env: Readonly<Record<string, string | undefined>>,
): StatusLine {
  let timer: NodeJS.Timeout | undefined;
  let running: readonly string[] = [];
  let ms = 0;
  let isShown = false;
  const draw = () => {
    ms += stepMs;
    if (ms < waitMs) return;
    const mark = marks[Math.floor(ms / stepMs) % marks.length]!;
    const [first = "", ...others] = running;
    const more = others.length === 0 ? "" : ` and ${countOf(others, "other call")}`;
    const text = printable(`${mark} ${first}${more} ${Math.floor(ms / 1_000)} s`).slice(
      0,
      (screen.columns ?? 80) - 1,
    );
    screen.write(`\r\u001b[K${screen.paint("dim", text)}`);
    isShown = true;
  };
  const clear = () => {
    clearInterval(timer);
    timer = undefined;
    if (isShown) screen.write("\r\u001b[K");
    isShown = false;
  };
  return {
    show(names) {
      const isSame = names.join("\n") === running.join("\n");
      clear();
      running = names;
      if (!isSame) ms = 0;
      if (names.length === 0 || screen.columns === undefined || env["TERM"] === "dumb") return;
      timer = setInterval(draw, stepMs);
      timer.unref();
    },
    over: (inner) => ({
      ...inner,
      get columns() {
        return inner.columns;
      },
      write(text) {
        clear();
        inner.write(text);
      },
      line(text) {
        clear();
        inner.line(text);
      },
    }),
  };
}
