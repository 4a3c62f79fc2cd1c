import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openHistory } from "../../src/agent/chat-history.ts";

const refuse = (problem: string) => {
  throw new Error(problem);
};

/** A folder whose history has rows 1 to `count`, oldest first. */
async function folderWith(count: number) {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-history-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, ".toolmount/chat-history");
  await mkdir(join(folder, ".toolmount"));
  await writeFile(file, Array.from({ length: count }, (_, at) => `"row ${at + 1}"\n`).join(""));
  const rows = async () => (await readFile(file, "utf8")).trimEnd().split("\n");
  return { folder, rows };
}

test("many chats of one line each leave a history of bounded length, and the newest lines are in it", async () => {
  const { folder, rows } = await folderWith(1_990);
  for (let chat = 1; chat <= 30; chat++) await (await openHistory(folder, refuse)).add(`line ${chat}`);

  expect((await rows()).length).toBeLessThanOrEqual(2_000);
  const { lines } = await openHistory(folder, refuse);
  expect(lines).toHaveLength(1_000);
  expect(lines.slice(0, 2)).toEqual(["line 30", "line 29"]);
  expect(lines[30]).toBe("row 1990");
});

test("a chat that shortens the history keeps the lines that another chat has added since", async () => {
  const { folder, rows } = await folderWith(1_999);
  const [one, other] = [await openHistory(folder, refuse), await openHistory(folder, refuse)];
  await other.add("of the other chat");
  await one.add("first");
  await one.add("second");

  expect((await rows()).slice(-3)).toEqual(['"of the other chat"', '"first"', '"second"']);
  expect((await rows()).length).toBeLessThanOrEqual(1_010);
});

test("a history that cannot be written costs the history, not the chat", async () => {
  const { folder } = await folderWith(0);
  await rm(join(folder, ".toolmount"), { recursive: true, force: true });
  await writeFile(join(folder, ".toolmount"), "");
  const warnings: string[] = [];
  const { add, lines } = await openHistory(folder, (problem) => void warnings.push(problem));
  await add("first");
  await add("first");

  expect(lines).toEqual(["first"]);
  expect(warnings).toEqual([expect.stringMatching(/^the history of the chat is not kept: E/)]);
});
