import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { expect, test } from "vitest";
import { call, response, say } from "./support/exchange.ts";
import { drawTerminal } from "./support/svg.ts";
import { atTerminal, keys, ready, type AtTerminal } from "./support/terminal.ts";
import { oneTool, planOf, removingTool, root, workspace } from "./support/workspace.ts";

// Each screen of the command in a real pseudo-terminal: one file of text with what is shown at each width, and one picture
// of 80 columns, light and dark as the reader's system is. `pnpm pictures` writes them.
const folder = join(root, "docs/pictures/screens");
const widths = [60, 80, 120] as const;

const readNote = oneTool({
  name: "read_note",
  schema: `path: z.string().describe("The note, relative to the folder of notes"), limit: z.int().positive().optional()`,
  body: `return data({ text: "The tools are mounted by hand.", lines: 1 });`,
});
const removeNote = removingTool("remove_note");

const files = {
  "out/old.txt": "old\n",
  "tidy.yaml": `version: 1
tools:
  - module: filesystem
    config: { allowed_read_paths: [.], allowed_write_paths: [./out] }
  - module: program
`,
  "tidy.ts": `await tools.write_file({ file_path: "out/note.txt", content: "the old one is gone" });
await tools.delete_file({ path: "out/old.txt" });
return "tidy";
`,
  "mount-plan.yaml": `${planOf("./read.ts", "./remove.ts")}policy:\n  deny: ["remove_note(secret*)"]\n`,
  "wrong.yaml": "version: 1\ntools:\n  - module: @acme/notes\n",
  "values.yaml":
    "version: 1\ntools:\n  - module: ./read.ts\n    wake: later\n    limits: { outputBytes: 0 }\n",
  "read.ts": readNote,
  "remove.ts": removeNote,
  "answer.json": JSON.stringify([
    response(call("a", "read_note", { path: "note.txt" }), call("b", "read_note", { path: "other.txt" })),
    response(
      say(
        "## Two notes\n\nThe **first** says `mount`; both are in the folder of notes, and neither has more than a few lines of text.\n\n| Note | Says |\n| --- | --- |\n| note.txt | The tools are mounted by hand, and the reader of this note knows why they are |\n| other.txt | Nothing |\n\n```sh\ntoolmount list\n```",
      ),
    ),
  ]),
  "exchange.json": JSON.stringify([
    response(call("a", "read_note", { path: "note.txt" })),
    response(say("The note says that the tools are mounted by hand.")),
  ]),
};

interface ScreenCase {
  readonly name: string;
  readonly words: readonly string[];
  readonly code: number;
  /** What is pressed, and what is awaited before. The bytes that it gives are the screen; else those at the end. */
  readonly act?: (terminal: AtTerminal) => Promise<string | void>;
}

const screens: readonly ScreenCase[] = [
  { name: "help", words: ["help"], code: 0 },
  { name: "list", words: ["list"], code: 0 },
  { name: "signatures", words: ["list", "--format", "signatures"], code: 0 },
  { name: "describe", words: ["describe", "read_note"], code: 0 },
  { name: "why", words: ["why", "remove_note", "--arguments", '{"path":"secret.txt"}'], code: 0 },
  { name: "status", words: ["status"], code: 0 },
  { name: "cost", words: ["cost", "--max", "20"], code: 1 },
  { name: "call", words: ["call", "read_note", "path=note.txt"], code: 0 },
  { name: "call-wrong", words: ["call", "read_note", `{"limit":1.5}`], code: 1 },
  { name: "syntax", words: ["check", "wrong.yaml"], code: 78 },
  { name: "values", words: ["check", "values.yaml"], code: 78 },
  {
    name: "turn",
    words: ["run", "--session", "notes", "--model", "replay:exchange.json", "Read the note"],
    code: 0,
  },
  {
    name: "question",
    words: ["call", "remove_note", "path=old.txt"],
    code: 1,
    act: async (terminal) => {
      await terminal.until(ready);
      terminal.press("n");
    },
  },
  { name: "rehearse", words: ["program", "tidy.yaml", "tidy.ts", "--rehearse"], code: 0 },
  {
    name: "approve-once",
    words: ["program", "tidy.yaml", "tidy.ts", "--rehearse", "--ask", "--session", "office"],
    code: 1,
    act: async (terminal) => {
      await terminal.until(ready);
      const bytes = terminal.bytes();
      terminal.press("n");
      return bytes;
    },
  },
  {
    name: "question-details",
    words: ["call", "remove_note", "path=old.txt"],
    code: 1,
    act: async (terminal) => {
      await terminal.until(ready);
      terminal.press("i");
      await terminal.until(/sha256[\s\S]*└ {2}Press /);
      terminal.press("n");
    },
  },
  {
    name: "chat",
    words: ["chat", "--session", "notes", "--model", "replay:answer.json"],
    code: 0,
    act: async (terminal) => {
      await terminal.until(/You ›/);
      terminal.press("what is in \\", keys.enter);
      await terminal.until(/ … ›/);
      terminal.press("the notes?", keys.enter);
      await terminal.until(/tokens[\s\S]*You ›/);
      terminal.press(keys.ctrlD);
    },
  },
  {
    name: "chat-help",
    words: ["chat", "--session", "notes", "--model", "replay:exchange.json"],
    code: 0,
    act: async (terminal) => {
      await terminal.until(/You ›/);
      terminal.press("/help", keys.enter);
      await terminal.until(/You › \/help[\s\S]*You ›/);
      terminal.press(keys.ctrlD);
    },
  },
];

/** What differs from run to run, in as many characters where a table depends on it. */
function mask(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8000")
    .replaceAll(/(?<=[^\d])\d+ ms\b/g, "12 ms")
    .replaceAll(/[0-9a-f]{64}/g, "30ac5c09c05f".padEnd(64, "0"))
    .replaceAll(/[^\s"]*toolmount-cli-\w{6}/g, "/home/ada/notes");
}

/** What a terminal shows after these bytes, with what has left the screen. */
async function textOf(bytes: string, columns: number): Promise<string> {
  const emulator = new xterm.Terminal({ cols: columns, rows: 300, allowProposedApi: true });
  await new Promise<void>((resolve) => emulator.write(mask(bytes), resolve));
  const { active } = emulator.buffer;
  const lines = Array.from(
    { length: active.length },
    (_, at) => active.getLine(at)?.translateToString(true) ?? "",
  );
  return lines.join("\n").trimEnd();
}

async function show(
  { words, code, act }: ScreenCase,
  columns: number,
  env: Readonly<Record<string, string>>,
) {
  const space = await workspace(files);
  const terminal = atTerminal(words, {
    cwd: space.folder,
    columns,
    rows: 60,
    env: { USER: "ada", ...env },
  });
  const seen = await act?.(terminal);
  expect(await terminal.ended, terminal.text()).toBe(code);
  const bytes = seen ?? terminal.bytes();
  return { bytes, text: await textOf(bytes, columns) };
}

/** Compares a file with what is shown, or writes it. */
async function expectFile(name: string, shown: string): Promise<void> {
  const path = join(folder, name);
  if (process.env["TOOLMOUNT_WRITE"] === "1") {
    await mkdir(folder, { recursive: true });
    await writeFile(path, shown);
  }
  const why = `docs/pictures/screens/${name} is not what the command shows; write it again: pnpm pictures`;
  expect(shown, why).toBe(await readFile(path, "utf8").catch(() => ""));
}

/** Colours and styles, but not what moves the cursor. */
// oxlint-disable-next-line no-control-regex
const colour = /\u001b\[[\d;]*m/;

test.each(screens)(
  "the screen $name is the same in colour and without, at 60, 80 and 120 columns",
  async (screen) => {
    const texts: string[] = [];
    for (const columns of widths) {
      const { bytes, text } = await show(screen, columns, {});
      expect(bytes).toMatch(colour);
      texts.push(`── ${columns} columns ──\n\n${text}\n`);
      if (columns !== 80) continue;
      const plain = await show(screen, columns, { NO_COLOR: "1" });
      expect(plain.text).toBe(text);
      const title = `toolmount ${screen.words.join(" ")}`;
      await expectFile(`${screen.name}.svg`, await drawTerminal(mask(bytes), columns, title));
    }
    await expectFile(`${screen.name}.txt`, texts.join("\n"));
  },
);
