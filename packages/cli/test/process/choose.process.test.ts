import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { choose } from "../../src/process/choose.ts";
import { createScreen } from "../../src/screen/screen.ts";
import { call, response, say } from "../support/exchange.ts";
import { atTerminal, keys, ready } from "../support/terminal.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 300_000 });

const answers = { n: "deny", d: "reason", y: "approve", a: "arguments", s: "session", l: "later" } as const;
type Letter = keyof typeof answers;
const letters = Object.keys(answers) as Letter[];
const right = "\u001b[C";
const approving = new Set<string>(["y", "a", "s"]);

/** Keys that are no answer, and text that came in one piece: pasted, or typed before it was read. */
const strayKeys = [
  "\u001b[D",
  "\u001b[C",
  "\u001b[A",
  "\u001b[B",
  "\u001bOA",
  "\u001bOB",
  "\u001bOC",
  "h",
  "j",
  "k",
  "yy",
  "yes\r",
  "n\r",
  "\r\r",
  "\u001b[B\r",
  "\u001b[B\u001b[B\r",
  "ja\r",
  "日本",
  "\u001b[200~y\u001b[201~",
];

describe("a letter chooses its own answer, whatever was pressed before", () => {
  test.each(["medium", "high"])("at a question of consequence %s", async (consequence) => {
    const terminal = askOften(consequence);
    let count = 0;
    const property = fc.asyncProperty(
      fc.array(fc.constantFrom(...strayKeys), { maxLength: 4 }),
      fc.constantFrom(...letters),
      async (stray, letter) => {
        count++;
        await terminal.until(ready);
        for (const key of stray) await terminal.pressRead(key);
        expect(terminal.text()).not.toContain(`answer ${count}:`);
        await terminal.pressRead(letter, letter !== "d");
        if (letter === "d") await terminal.until(/Why not\?/);
        if (letter === "d") terminal.press("x", keys.enter);
        else if (consequence === "high" && approving.has(letter)) {
          expect(await terminal.until(/└ {2}Press Enter: /)).not.toContain(`answer ${count}:`);
          await terminal.pressRead(keys.enter, false);
        }
        const answered = new RegExp(`answer ${count}: (\\w+)`);
        expect(answered.exec(await terminal.until(answered))?.[1]).toBe(answers[letter]);
      },
    );
    await fc.assert(property, { numRuns: 200, endOnFailure: true });
  });
});

/** The real question, asked again and again at a terminal. `pressRead` waits until the keys were read and new ones count. */
function askOften(consequence: string) {
  const program = ["-C", "@toolmount/source", join(import.meta.dirname, "../support/ask-often.ts")];
  const terminal = atTerminal([consequence], { program });
  let sent = 0;
  let read = 0;
  const readers = new Set<() => void>();
  terminal.emulator.onTitleChange((title) => {
    read = Number(title);
    for (const reader of readers) reader();
  });
  const whenRead = () =>
    new Promise<void>((resolve) => {
      const look = () => void (read >= sent && readers.delete(look) && resolve());
      readers.add(look);
      look();
    });
  return {
    ...terminal,
    press(...presses: readonly string[]) {
      sent += Buffer.byteLength(presses.join(""));
      terminal.press(...presses);
    },
    async pressRead(key: string, isStill = true) {
      this.press(key);
      await whenRead();
      if (isStill) await terminal.until(ready);
    },
  };
}

describe("only a person who has seen the question answers it", () => {
  test("the arrows to the right and n deny", async () => {
    const { folder } = await orders();
    const terminal = atTerminal(["call", "delete_order", "id=o-3"], { cwd: folder });
    await terminal.until(ready);
    terminal.press(right, right, keys.down);
    await terminal.until(/● d {2}Deny, and say why/);
    terminal.press("n");

    expect(await terminal.ended).toBe(1);
    expect(terminal.text()).toContain("✖ denied delete_order");
    expect(existsSync(join(folder, "deleted"))).toBe(false);
  });

  test("a line typed before the question of a call is not its answer", async () => {
    const { folder, run } = await orders();
    const terminal = atTerminal(["call", "delete_order", "id=o-3"], { cwd: folder });
    for (const key of "yes I will look at it later") terminal.press(key);
    expect(await terminal.until(ready)).toContain("● n  Deny");
    terminal.press("n");

    expect(await terminal.ended).toBe(1);
    expect(existsSync(join(folder, "deleted"))).toBe(false);
    expect((await run(["approvals", "list", "--json"])).json()).toMatchObject({ always: [] });
  });

  test.each([
    ["one key typed while the model works", /You › delete it/, "y"],
    ["text typed through the moment of the question", /Keys do not count yet/, "thank you for the help"],
  ])("chat: %s answers nothing", async (_name, moment, typed) => {
    const { folder } = await orders();
    const terminal = atTerminal(["chat", "--model", "replay:exchange.json"], { cwd: folder });
    await terminal.until(/You ›/);
    terminal.press("delete it");
    await terminal.until(/You › delete it/);
    terminal.press(keys.enter);
    await terminal.until(moment);
    for (const key of typed) terminal.press(key);
    // A key before the question opens a line for a message, and the question waits for its end.
    if (/Add ›/.test(await terminal.until(/Add › y|└ {2}Press /))) terminal.press(keys.enter);
    expect(await terminal.until(ready)).toContain("● n  Deny");
    terminal.press("n");
    await terminal.until(/I leave it\.[\s\S]*You ›/);

    expect(existsSync(join(folder, "deleted"))).toBe(false);
    terminal.press(keys.ctrlD);
    expect(await terminal.ended).toBe(0);
  });

  test("toolmount approvals: the arrows to the right and n deny", async () => {
    const { folder, run } = await orders();
    await run(["call", "delete_order", "id=o-3", "--json"]);
    const terminal = atTerminal(["approvals"], { cwd: folder });
    await terminal.until(/Which question\?/);
    terminal.press(keys.enter);
    await terminal.until(ready);
    terminal.press(right, right, keys.down);
    await terminal.until(/● d {2}Deny, and say why/);
    terminal.press("n");

    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).toContain("delete_order is denied");
  });
});

function orders() {
  return workspace({
    "mount-plan.yaml": planOf("./delete-order.ts"),
    "delete-order.ts": oneTool({
      name: "delete_order",
      schema: "id: z.string()",
      confirm: "true",
      body: `(await import("node:fs")).writeFileSync("deleted", params.id); return data({});`,
    }),
    "exchange.json": JSON.stringify([
      response(call("a", "delete_order", { id: "o-3" })),
      response(say("I leave it.")),
    ]),
  });
}

describe("the half second before keys count", () => {
  test("begins again with each key, so a person who keeps typing does not answer", async () => {
    const asked = askAt(["n", "y"]);
    for (const key of "any you may send") await asked.press(key, 150);
    expect(asked.answer).toBe("none yet");
    await asked.pass(349);
    await asked.press("y", 0);
    expect(asked.answer).toBe("none yet");
    await asked.pass(500);
    await asked.press("y", 0);

    expect(asked.answer).toBe("y");
  });

  test("begins again after a key that is no answer, and the cursor is at the first answer again", async () => {
    const asked = askAt(["n", "y"]);
    await asked.pass(500);
    await asked.press(keys.down, 0);
    expect(asked.shown).toMatch(/● y[^●]*$/);
    for (const key of "so y\r") await asked.press(key, 100);
    expect(asked.answer).toBe("none yet");
    await asked.pass(500);
    await asked.press(keys.enter, 0);

    expect(asked.answer).toBe("n");
  });

  test("Ctrl-C leaves at any time", async () => {
    const asked = askAt(["n", "y"]);
    await asked.press(keys.ctrlC, 0);

    expect(asked.answer).toBeUndefined();
  });
});

test("a paste that comes in several pieces answers nothing, and the key after it counts", async () => {
  const asked = askAt(["n", "y"]);
  await asked.pass(500);
  for (const piece of ["\u001b[200~a", "y", "\r", "y\u001b[201~"]) {
    await asked.press(piece, 500);
    expect(asked.answer).toBe("none yet");
  }
  await asked.press("y", 0);

  expect(asked.answer).toBe("y");
});

test("the arrow up leads from the first answer to the last, and down back", async () => {
  const asked = askAt(["n", "y", "l"]);
  await asked.pass(500);
  await asked.press(keys.up, 0);
  expect(asked.shown).toMatch(/● l[^●]*$/);
  await asked.press(keys.down, 0);
  expect(asked.shown).toMatch(/● n[^●]*$/);
  await asked.press("\u001b", 0);

  // Node waits for the rest of a sequence that Escape could begin.
  await expect.poll(() => asked.answer).toBeUndefined();
});

test("the end of the input leaves", async () => {
  const input = new PassThrough();
  const asked = askAt(["n", "y"], input);
  input.end();
  await settle();

  expect(asked.answer).toBeUndefined();
});

test("a terminal is raw while it asks, and other inputs have no such mode", async () => {
  const modes: boolean[] = [];
  const terminal = (isTTY: boolean) =>
    Object.assign(new PassThrough(), { isTTY, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const asked = askAt(["n", "y"], terminal(true));
  expect(modes).toEqual([true]);
  await asked.press(keys.ctrlC, 0);
  expect(modes).toEqual([true, false]);
  await askAt(["n", "y"], terminal(false)).press(keys.ctrlC, 0);

  expect(modes).toHaveLength(2);
});

/** The question on a clock that the test moves. */
function askAt(options: readonly string[], input = new PassThrough()) {
  const output = new PassThrough();
  let now = 0;
  let due: { readonly at: number; readonly callback: () => void } | undefined;
  const clock = {
    setTimer(callback: () => void, ms: number) {
      due = { at: now + ms, callback };
      return { cancel: () => (due = undefined), keepAlive: () => {} };
    },
  };
  const asked = {
    answer: "none yet" as string | undefined,
    shown: "",
    async pass(ms: number) {
      now += ms;
      const isDue = due !== undefined && due.at <= now;
      if (isDue) due?.callback();
      await settle();
    },
    async press(key: string, ms: number) {
      input.write(key);
      await settle();
      await this.pass(ms);
    },
  };
  output.on("data", (chunk: Buffer) => (asked.shown += chunk.toString()));
  const screen = createScreen({ write: () => {} }, {});
  const choices = options.map((key) => ({ key, value: key, label: key }));
  void choose(screen, { input, output, clock }, { message: "Well?", choices }).then(
    (answer) => (asked.answer = answer),
  );
  return asked;
}

/** Lets streams and immediates run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await setImmediate();
}
