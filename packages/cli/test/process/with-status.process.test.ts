import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withStatus } from "../../src/process/with-status.ts";
import { createScreen } from "../../src/screen/screen.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A shell whose stderr is a terminal, and what was written to it. */
function atTerminal() {
  const written: string[] = [];
  const sink = { isTTY: true, columns: 40, write: (text: string) => written.push(text) };
  return { written, shell: { env: {}, err: createScreen(sink, { NO_COLOR: "1" }) } as never };
}

test.each([["done"], [new Error("failed")]])(
  "a line says what is done until the work has ended: %s",
  async (end) => {
    const { written, shell: given } = atTerminal();
    const work = withStatus(given, "asking npm", async (shell) => {
      await vi.advanceTimersByTimeAsync(700);
      shell.err.line("a warning");
      if (end instanceof Error) throw end;
      return end;
    });
    if (end instanceof Error) await expect(work).rejects.toBe(end);
    else expect(await work).toBe(end);

    expect(written[0]).toMatch(/asking npm 0 s$/);
    expect(written.slice(-2)).toEqual(["\r\u001b[K", "a warning\n"]);
    expect(vi.getTimerCount()).toBe(0);
  },
);

test("the line is gone when the work wrote nothing", async () => {
  const { written, shell } = atTerminal();
  await withStatus(shell, "asking npm", () => vi.advanceTimersByTimeAsync(700));

  expect(written.at(-1)).toBe("\r\u001b[K");
  expect(vi.getTimerCount()).toBe(0);
});
