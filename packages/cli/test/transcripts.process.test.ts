import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { play, readTranscripts, writtenTranscript } from "./support/transcript.ts";

// What commands print, write and end with, whole: each file of `transcripts/` is read as a person reads a terminal. Styles are
// words in ‹›. `pnpm transcripts` writes what the commands show now: read what changed.
const folder = join(import.meta.dirname, "transcripts");
const isWritten = process.env["TOOLMOUNT_WRITE"] === "1";
const [shared] = readTranscripts(readFileSync(join(folder, "files"), "utf8"));
const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));

describe.each(names)("%s", (name) => {
  const cases = readTranscripts(readFileSync(join(folder, name), "utf8"));
  const played = new Map<string, string>();

  test.each(cases)("$title", async (one) => {
    const now = await play(one, shared!);
    played.set(one.title, now);
    expect(now).toBe(isWritten ? now : writtenTranscript(one));
  });

  afterAll(async () => {
    if (!isWritten) return;
    const texts = cases.map((one) => played.get(one.title) ?? writtenTranscript(one));
    await writeFile(join(folder, name), texts.join("\n"));
  });
});
