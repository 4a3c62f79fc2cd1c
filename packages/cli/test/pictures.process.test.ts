import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, response, say } from "./support/exchange.ts";
import { drawMoving, drawTerminal, type Frame } from "./support/svg.ts";
import { atTerminal, keys, ready } from "./support/terminal.ts";
import { oneTool, planOf, removingTool, root, workspace } from "./support/workspace.ts";

// Each picture is a process at a terminal of its own, or several.
const folderOfPictures = join(root, "docs/pictures");
const columns = 94;

const readNote = oneTool({
  name: "read_note",
  schema: "path: z.string()",
  body: `return data("The tools are mounted by hand.");`,
});
/** Ends well after the other, so that the picture is always the same. */
const editNote = oneTool({
  name: "edit_note",
  schema: "path: z.string(), text: z.string()",
  body: `
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return failure("the plan does not allow to write " + params.path, { code: "ACCESS_DENIED" });`,
});
const removeNote = removingTool("remove_note");
const watchNote = oneTool({ name: "watch_note", body: "await new Promise(() => {}); return data(params);" });

/** What differs from run to run. */
function mask(bytes: string): string {
  return bytes
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8000")
    .replaceAll(/\d+ ms\b/g, "12 ms")
    .replaceAll(/[0-9a-f]{64}/g, "30ac5c09c05ff5e5699f73ffb13e5047045e0cc4786f41445a4936fa5952eb49")
    .replaceAll(/[0-9a-f]{12}-(?=\d)/g, "64d71c7abe9e-")
    .replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z/gm, "2027-01-01T12:00:00.000Z")
    .replaceAll(/until \d{4}-\d\d-\d\dT[\d:.]+Z/g, "until 2027-01-01T12:00:00.000Z");
}

async function notes(...exchange: object[]) {
  return workspace({
    "mount-plan.yaml": planOf("./read.ts", "./edit.ts", "./remove.ts", "./watch.ts"),
    "read.ts": readNote,
    "edit.ts": editNote,
    "remove.ts": removeNote,
    "watch.ts": watchNote,
    "exchange.json": JSON.stringify(exchange),
    "more.json": JSON.stringify([response(say("It is gone."))]),
  });
}

/** A line that a person typed, as a shell shows it. */
function typed(words: readonly string[]): string {
  const shown = words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(" ");
  return `\u001b[2m$\u001b[22m toolmount ${shown}\r\n`;
}

/** Compares a picture with the committed one, or writes it. */
async function expectDrawn(name: string, drawn: string): Promise<void> {
  const path = join(folderOfPictures, `${name}.svg`);
  if (process.env["TOOLMOUNT_WRITE"] === "1") {
    await mkdir(folderOfPictures, { recursive: true });
    await writeFile(path, drawn);
  }
  const why = `docs/pictures/${name}.svg is not what the command shows; write it again: pnpm pictures`;
  expect(drawn, why).toBe(await readFile(path, "utf8").catch(() => ""));
}

async function expectPicture(name: string, title: string, bytes: string): Promise<void> {
  await expectDrawn(name, await drawTerminal(mask(bytes), columns, title));
}

const replay = ["--session", "notes", "--model", "replay:exchange.json"];

test("the picture of a turn with two parallel calls is what the command shows", async () => {
  const { folder } = await notes(
    response(
      call("a", "read_note", { path: "note.txt" }),
      call("b", "edit_note", { path: "note.txt", text: "by a plan" }),
    ),
    response(say("The note is read; the plan does not let me change it.")),
  );
  const words = ["run", ...replay, "Fix the note"];
  const terminal = atTerminal(words, { cwd: folder, columns });
  expect(await terminal.ended, terminal.text()).toBe(0);
  await expectPicture("turn", "A turn of a model with two calls", typed(words) + terminal.bytes());
});

test("the picture of a question is what the command shows", async () => {
  const { folder } = await notes(
    response(call("a", "remove_note", { path: "old.txt" })),
    response(say("Gone.")),
  );
  const words = ["run", ...replay, "Remove the old note"];
  const terminal = atTerminal(words, { cwd: folder, columns });
  await terminal.until(ready);
  terminal.press(keys.down);
  await terminal.until(/● d {2}Deny, and say why/);
  terminal.press(keys.down);
  await terminal.until(/● y {2}Approve/);
  await expectPicture("approval", "A question before a tool runs", typed(words) + terminal.bytes());
});

test("the picture of what waits in a layer, and its question, is what a turn shows at its end", async () => {
  const command = "sed -i s/one/two/ src/app.js; rm notes.txt; echo export A=1 > .envrc";
  const { folder } = await workspace({
    "mount-plan.yaml": `version: 1\nlayer: ./\ntools:\n  - { module: bash, source: "file:${join(root, "tools/bash")}" }\n`,
    "exchange.json": JSON.stringify([
      response(call("a", "bash", { command })),
      response(say("The app says two now.")),
    ]),
    "src/app.js": 'console.log("one");\n',
    "notes.txt": "Ask Ada.\n",
  });
  const words = ["run", "--session", "fix", "--model", "replay:exchange.json", "Say two"];
  const terminal = atTerminal(words, { cwd: folder, columns });
  await terminal.until(ready);
  await expectPicture("keep", "What waits in a layer, and the question", typed(words) + terminal.bytes());
});

test("the picture of a cancelled turn is what the command shows", async () => {
  const { folder } = await notes(response(call("a", "watch_note")));
  const words = ["run", ...replay, "Watch the note"];
  const terminal = atTerminal(words, { cwd: folder, columns });
  await terminal.until(/→ watch_note/);
  terminal.press(keys.ctrlC);
  expect(await terminal.ended, terminal.text()).toBe(130);
  await expectPicture("cancelled", "A turn cancelled with Ctrl-C", typed(words) + terminal.bytes());
});

test("the picture of a turn that waits, is approved and is resumed is what three commands show", async () => {
  const { folder, run } = await notes(response(call("a", "remove_note", { path: "old.txt" })));
  let bytes = "";
  const say1 = async (code: number, shown: readonly string[], words = shown) => {
    const terminal = atTerminal(words, { cwd: folder, columns, env: { USER: "ada" } });
    if (code === 3) {
      await terminal.until(ready);
      terminal.press("l");
    }
    expect(await terminal.ended, terminal.text()).toBe(code);
    // Of what was asked and put off, the end is enough.
    const end = code === 3 ? terminal.bytes().split("Decide later").at(-1)! : terminal.bytes();
    bytes += `${typed(shown)}${end.replace(/^[^\n]*\n/, code === 3 ? "" : "$&")}\r\n`;
  };
  await say1(3, ["run", ...replay, "Remove the old note"]);
  const { waiting } = (await run(["approvals", "list", "--json"])).json() as { waiting: { id: string }[] };
  await say1(0, ["approvals", "approve", "8fJ2kQ"], ["approvals", "approve", waiting[0]!.id]);
  await say1(0, ["sessions", "resume", "notes", "--model", "replay:more.json"]);
  await say1(0, ["sessions", "show", "notes"]);
  await expectPicture("resume", "A turn waits, is approved, and is resumed in another process", bytes);
});

test("the picture of what a turn left behind is what its commands show", async () => {
  const { folder } = await workspace({
    "mount-plan.yaml": `${planOf("./read.ts", "./edit.ts")}state: sqlite:./state.db\naudit: durable\n`,
    "read.ts": readNote,
    "edit.ts": editNote,
    "exchange.json": JSON.stringify([
      response(call("a", "read_note", { path: "note.txt" })),
      response(call("b", "edit_note", { path: "note.txt", text: "by a plan" })),
      response(say("The note is read; the plan does not let me change it.")),
    ]),
  });
  let bytes = "";
  for (const [words, shows] of [
    [["run", ...replay, "Fix the note"], false],
    [["audit"], true],
    [["audit", "--check"], true],
    [["sessions", "show", "notes"], true],
  ] as const) {
    const terminal = atTerminal(words, { cwd: folder, columns });
    expect(await terminal.ended, terminal.text()).toBe(0);
    if (shows) bytes += `${typed(words)}${terminal.bytes()}\r\n`;
  }
  await expectPicture("observe", "What a turn did, as the audit and the session show it", bytes);
});

/** The plan of the front door: README and the site show it beside this question. */
const sixLines = `version: 1
tools:
  - module: filesystem
    config: { allowed_read_paths: [.], allowed_write_paths: [./out] }
policy:
  ask: [delete_file]
`;

test("the picture that moves is a question, its answer and what became of the call", async () => {
  const { folder } = await workspace({ "mount-plan.yaml": sixLines, "out/old.txt": "old\n" });
  const words = ["call", "delete_file", "path=out/old.txt"];
  const line = typed(words);
  const terminal = atTerminal(words, { cwd: folder, columns: 80, rows: 60, env: { USER: "ada" } });
  const frame = (bytes: string, ms: number): Frame => ({ bytes: mask(line + bytes), ms });

  await terminal.until(ready);
  const question = frame(terminal.bytes(), 4_500);
  terminal.press("y");
  await terminal.until(/● {2}y|● y/);
  const answer = frame(terminal.bytes(), 1_200);
  terminal.press(keys.enter);
  expect(await terminal.ended, terminal.text()).toBe(0);
  const frames = [
    { bytes: line.slice(0, line.indexOf("toolmount")), ms: 500 },
    { bytes: line.slice(0, line.indexOf(" delete_file")), ms: 400 },
    frame("", 700),
    { ...question, isStill: true },
    answer,
    frame(terminal.bytes(), 3_000),
  ];

  const drawn = await drawMoving(frames, 80, `toolmount ${words.join(" ")}`);
  expect(drawn).not.toContain("<script");
  await expectDrawn("question", drawn);
});

test.each(["README.md", "site/home.md"])("%s shows the plan of six lines and its question", async (page) => {
  const text = await readFile(join(root, page), "utf8");

  expect(text).toContain(`\n${sixLines}\`\`\``);
  expect(text).toContain("docs/pictures/question.svg");
});
