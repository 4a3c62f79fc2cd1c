import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, rewriteText } from "@toolmount/paths";
import { messageOf } from "@toolmount/core/errors";
import { addLine } from "@toolmount/tape";

/** The lines that a person typed in chats over one plan, newest first. */
export interface ChatHistory {
  readonly lines: string[];
  /** Adds a line and stores it for the next chat. A line that repeats the newest one is ignored. */
  add(line: string): Promise<void>;
}

/** Maximum number of lines that a chat loads, and that remain when the file is shortened. */
const maxLines = 1_000;

/**
 * Maximum number of rows of the file. At the next one, the file is shortened to its newest `maxLines` rows, so that it is
 * rarely rewritten.
 */
const maxRows = 2_000;

/**
 * Opens the history in the plan's folder, `.toolmount/chat-history`: each line as a JSON text, readable by the user alone. With
 * `folder` null, the lines are kept only in memory. If the file cannot be read or written, only the history is lost.
 */
export async function openHistory(
  folder: string | null,
  warn: (problem: string) => void,
): Promise<ChatHistory> {
  const file = folder === null ? null : join(folder, ".toolmount", "chat-history");
  const kept = file === null ? [] : await readLines(file);
  const lines = kept.slice(-maxLines).toReversed();
  let rows = kept.length;
  return {
    lines,
    async add(line) {
      if (lines[0] === line) return;
      lines.unshift(line);
      if (file === null) return;
      try {
        makeFolder(dirname(file));
        addLine(file, JSON.stringify(line));
        rows = rows < maxRows ? rows + 1 : await shorten(file);
      } catch (error) {
        warn(`the history of the chat is not kept: ${messageOf(error)}`);
      }
    },
  };
}

/** Shortens the file to its newest lines, including those of other chats. Returns the new number of rows. */
async function shorten(file: string): Promise<number> {
  let lines: readonly string[] = [];
  const shortened = async () => {
    lines = (await readLines(file)).slice(-maxLines);
    return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  };
  await rewriteText(file, shortened, { mode: 0o600 });
  return lines.length;
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((row) => {
    try {
      const line: unknown = JSON.parse(row);
      return typeof line === "string" ? [line] : [];
    } catch {
      // The row is empty, or incomplete because a process was killed while it wrote the row.
      return [];
    }
  });
}
