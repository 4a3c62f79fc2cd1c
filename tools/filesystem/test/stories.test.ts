import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "./changing-world.ts";

/**
 * Stories: calls in order over the same folder, each with what it answers (`>`), what a rehearsal of it answers where that
 * differs (`~`), and what the rehearsal says would change (`*`). In the end all that changed is undone.
 */
const stories = readFileSync(join(import.meta.dirname, "stories.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [title = "", ...lines] = group.split("\n");
    const [, name = "", settings = "{}"] = /^# (.*?)(?: with (\{.*\}))?$/.exec(title)!;
    return { title: name, settings, lines };
  });

test.each(stories)("$title", async ({ settings, lines }) => {
  const calls = lines.filter((line) => /^\w/.test(line));

  expect(await play(calls, JSON.parse(settings) as object)).toEqual(lines);
});

/** Files of other encodings, below a folder that no other story names. */
const encoded = {
  "encodings/latin1.txt": Buffer.from("caf\u00e9\n", "latin1"),
  "encodings/utf16.txt": Buffer.from("\ufeffone\ntwo\n", "utf16le"),
  "encodings/utf16be.txt": Buffer.from("\ufeffone\ntwo\n", "utf16le").swap16(),
  "encodings/mark.txt": Buffer.from("\ufeffone\ntwo\n"),
  "encodings/crlf.txt": Buffer.from("one\r\ntwo\r\n"),
  "encodings/mixed.txt": Buffer.from("one\r\ntwo\n"),
};

async function play(calls: readonly string[], settings: object): Promise<string[]> {
  const { folder, session, look } = world(settings);
  for (const [name, bytes] of Object.entries(encoded)) folder.put(name, bytes);
  const before = look();
  const words = calls.map((line) => {
    const [, name = "", given = ""] = /^(\w+) (.*)$/.exec(line)!;
    return { line, name, arguments: JSON.parse(given) as Record<string, unknown> };
  });
  const clean = (value: unknown) => JSON.stringify(value).replaceAll(folder.base, "BASE");
  const rehearsal = session.rehearse();
  const rehearsed: { answer: string; effects: string[] }[] = [];
  for (const { name, arguments: given } of words) {
    const listed = rehearsal.calls.length;
    const { result } = await rehearsal.call({ name, arguments: given });
    const effects = rehearsal.calls.slice(listed).flatMap((call) => call.effects.map(clean));
    rehearsed.push({ answer: clean(saidIn(result)), effects });
  }
  expect(look()).toEqual(before);
  const lines: string[] = [];
  for (const [at, { line, name, arguments: given }] of words.entries()) {
    const answer = clean(saidIn((await session.call({ name, arguments: given })).result));
    const { answer: staged, effects } = rehearsed[at]!;
    lines.push(
      line,
      `> ${answer}`,
      ...(staged === answer ? [] : [`~ ${staged}`]),
      ...effects.map((one) => `* ${one}`),
    );
  }
  const { stopped } = await session.undo();
  expect(stopped?.outcome.result ?? null).toBeNull();
  expect(look()).toEqual(before);
  return lines;
}

/** What a result says: its data and warnings, or its failure. */
function saidIn(result: object): object {
  const { data, error, code, details, warnings } = result as Record<string, unknown>;
  return error === undefined ? { data, warnings } : { error, code, details };
}
