import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Pastes } from "../../src/process/pastes.ts";

/** What a person's terminal gets and what a program reads of it. */
function terminal() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const written: string[] = [];
  output.on("data", (bytes: Buffer) => void written.push(bytes.toString()));
  const pastes = new Pastes({ input, output });
  const keys: string[] = [];
  pastes.on("data", (text: string) => void keys.push(text));
  const type = async (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) input.write(chunk);
    await new Promise(setImmediate);
    return keys.splice(0).join("");
  };
  return { input, pastes, written, type };
}

const [start, end] = ["\u001b[200~", "\u001b[201~"];
const paste = (text: string) => `${start}${text}${end}`;

test("keys pass as they are, and a terminal is asked for pastes while it is open", async () => {
  const { input, pastes, written, type } = terminal();

  expect(await type("a", "é", "\u001b", "[A", "\u001b\r")).toBe("aé\u001b[A\\\r");
  expect(await type(...[...Buffer.from("€")].map((byte) => Buffer.from([byte])))).toBe("€");
  expect(pastes.isTTY).toBe(true);
  expect(pastes.setRawMode(true)).toBe(pastes);
  expect(written).toEqual(["\u001b[?2004h"]);
  pastes.close();
  await new Promise(setImmediate);
  expect(written).toEqual(["\u001b[?2004h", "\u001b[?2004l"]);
  expect([input.listenerCount("data"), input.isPaused()]).toEqual([0, true]);
});

test.each<[string, string]>([
  ["one line", "one line"],
  ["with\u0003 a\u001b key", "with a key"],
  ["x".repeat(400), "x".repeat(400)],
  ["x".repeat(401), "[pasted 401 characters]"],
  ["a\nb", "[pasted 2 lines]"],
  ["a\r\nb\rc\n", "[pasted 3 lines]"],
  ["a\n", "a"],
])("the paste %j is shown as %j", async (text, shown) => {
  const { type } = terminal();

  expect(await type(`<${paste(text)}>`)).toBe(`<${shown}>`);
});

test("a paste may arrive in small pieces, and pastes that look alike have numbers", async () => {
  const { pastes, type } = terminal();
  const all = `a${paste("1\n2")}b${paste("3\r\n4")}c${paste("5\n6")}d${paste("1\n2\n3")}`;
  // An escape alone is a key.
  const pieces = all
    .split("\u001b")
    .flatMap((part, at) => (at === 0 ? part.split("") : [`\u001b${part[0]}`, ...part.slice(1).split("")]));
  const line = await type(...pieces);

  expect(line).toBe("a[pasted 2 lines]b[pasted 2 lines, 2]c[pasted 2 lines, 3]d[pasted 3 lines]");
  expect(pastes.whole(line)).toBe("a1\n2b3\n4c5\n6d1\n2\n3");
  expect(pastes.whole(`${line}!`)).toBe("a1\n2b3\n4c5\n6d1\n2\n3!");
});

test("a pasted text may have signs of a replacement", async () => {
  const { pastes, type } = terminal();

  expect(pastes.whole(await type(paste("$&\n$1")))).toBe("$&\n$1");
});

test("the beginning of a mark is kept until it is known what it is", async () => {
  const { type } = terminal();

  expect(await type("a\u001b[20")).toBe("a");
  expect(await type("1x")).toBe("\u001b[201x");
  expect(await type(`${start}b\u001b[2`)).toBe("");
  expect(await type("01~c")).toBe("bc");
});

test("the end of the input ends the keys", async () => {
  const { input, pastes } = terminal();
  const ended = new Promise((resolve) => pastes.on("end", resolve));
  input.end();
  await ended;
  expect(pastes.readableEnded).toBe(true);
});
