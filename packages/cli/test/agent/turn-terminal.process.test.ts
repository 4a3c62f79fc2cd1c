import { expect, test, vi } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { atTerminal, keys, ready } from "../support/terminal.ts";
import { oneTool, planOf, removingTool, workspace } from "../support/workspace.ts";

// Each test is a process at a terminal of its own, or several.
const echo = oneTool({ name: "echo", schema: "text: z.string()", body: "return data(params.text);" });
const remove = removingTool();
const hang = oneTool({ name: "hang", body: "await new Promise(() => {}); return data(context.runId);" });
/** Waits for one file, and writes another when it ends. */
const late = oneTool({
  name: "late",
  body: `
    const { existsSync, watch, writeFileSync } = await import("node:fs");
    const watcher = watch(".");
    while (!existsSync("begin")) await new Promise((resolve) => watcher.once("change", resolve));
    watcher.close();
    writeFileSync("end", "");
    return data("late");`,
});

/** A folder with a plan and a record of what a model answers. */
function agent(...exchange: object[]) {
  return workspace({
    "mount-plan.yaml": planOf("./echo.ts", "./remove.ts", "./hang.ts", "./late.ts"),
    "echo.ts": echo,
    "remove.ts": remove,
    "hang.ts": hang,
    "late.ts": late,
    "exchange.json": JSON.stringify(exchange),
  });
}

const replay = ["--model", "replay:exchange.json", "--session", "s1"];
const { down, enter, ctrlC } = keys;

test("what other calls of the turn tell waits while a question is on the screen", async () => {
  const { folder, read, write } = await agent(
    response(call("a", "remove", { path: "old.txt" }), call("b", "late")),
    response(say("All done.")),
  );
  const terminal = atTerminal(["run", ...replay, "go"], { cwd: folder });
  const asked = await terminal.until(ready);
  expect(asked).toMatch(/Remove old\.txt[\s\S]*path {2}old\.txt[\s\S]*◆ {2}Run remove\?/);
  await write("begin", "");
  await vi.waitFor(() => read("end"), { timeout: 300_000 });
  terminal.press(down);
  await terminal.until(/● d {2}Deny, and say why/);
  terminal.press(down);
  await terminal.until(/● y {2}Approve/);
  terminal.press(enter);

  expect(await terminal.ended, terminal.text()).toBe(0);
  expect(terminal.text()).toMatch(
    /◇ {2}Run remove\?\n│ {2}y {2}Approve this one call\n[\s\S]*✔ ok late[\s\S]*✔ ok remove[\s\S]*All done\./,
  );
});

test("the model reads the reason of a denial, and the turn continues", async () => {
  const { folder, run } = await agent(
    response(call("a", "remove", { path: "old.txt" })),
    response(say("I leave it.")),
  );
  const terminal = atTerminal(["run", ...replay, "go"], { cwd: folder });
  await terminal.until(ready);
  terminal.press("d");
  await terminal.until(/Why not\?/);
  terminal.press("it is Ada's", enter);

  expect(await terminal.ended, terminal.text()).toBe(0);
  expect(terminal.text()).toMatch(/✖ denied remove DENIED/);
  expect((await run(["sessions", "show", "s1"])).stdout).toContain("it is Ada's");
});

test("an answer for the session also answers the waiting questions that it covers", async () => {
  const calls = ["a.txt", "b.txt", "b.txt"].map((path, at) => call(`c${at}`, "remove", { path }));
  const { folder } = await agent(response(...calls), response(say("All are gone.")));
  const terminal = atTerminal(["run", ...replay, "go"], { cwd: folder });
  await terminal.until(ready);
  terminal.press(enter); // of the first: no
  await terminal.until(/1 more waits behind it[\s\S]*└ {2}Press /);
  terminal.press("s");

  expect(await terminal.ended, terminal.text()).toBe(0);
  expect(terminal.text().match(/if you approve/g)).toHaveLength(2);
  expect(terminal.text().match(/✔ ok remove/g)).toHaveLength(2);
});

test("a call that is decided later ends with 3 and the command that resumes it", async () => {
  const { folder, run } = await agent(response(call("a", "remove", { path: "old.txt" })));
  const terminal = atTerminal(["run", ...replay, "go"], { cwd: folder });
  await terminal.until(ready);
  terminal.press("l");

  expect(await terminal.ended, terminal.text()).toBe(3);
  expect(terminal.text()).toMatch(/remove waits for a person/);
  expect(terminal.text()).toMatch(/toolmount sessions resume s1/);
  expect((await run(["approvals", "list"])).stdout).toContain("1 question,");
});

test("Ctrl-C in a question cancels the turn, and every call is answered", async () => {
  const { folder, run } = await agent(
    response(call("a", "remove", { path: "old.txt" }), call("b", "hang"), call("c", "remove", { path: "b" })),
  );
  const terminal = atTerminal(["run", ...replay, "go"], { cwd: folder });
  await terminal.until(ready);
  terminal.press(ctrlC);

  expect(await terminal.ended, terminal.text()).toBe(130);
  expect(terminal.text()).toMatch(/the turn was cancelled; every call it made is answered/);
  expect((await run(["sessions", "show", "s1"])).stdout.match(/"cancelled":true/g)).toHaveLength(3);
});

test("chat: Ctrl-C cancels the turn and comes back to the prompt, where it leaves", async () => {
  const { folder, run } = await agent(
    response(say("Hello to you.")),
    response(call("a", "hang")),
    response(say("Here I am again.")),
  );
  const terminal = atTerminal(["chat", ...replay], { cwd: folder });
  await terminal.until(/You/);
  terminal.press("hello", enter);
  await terminal.until(/Hello to you\.[\s\S]*You/);
  terminal.press("wait", enter);
  await terminal.until(/→ hang/);
  terminal.press(ctrlC);
  await terminal.until(/the turn was cancelled[\s\S]*You/);
  terminal.press("again", enter);
  await terminal.until(/Here I am again\.[\s\S]*You/);
  terminal.press("a line that I do not want", ctrlC);
  await terminal.until(/You › *$/);
  terminal.press(ctrlC);
  await terminal.until(/press Ctrl-C again to leave[\s\S]*You › *$/);
  terminal.press(ctrlC);

  expect(await terminal.ended, terminal.text()).toBe(0);
  expect((await run(["sessions", "list"])).stdout).toMatch(/^s1 +done +just now +3 /m);
});

test("chat: what is typed while a turn runs is read by the model after the calls that run; what comes too late is the next prompt", async () => {
  const { folder, read, run, write } = await agent(
    response(call("a", "late")),
    response(say("Only the blue ones, then.")),
    response(say("A second turn.")),
  );
  const terminal = atTerminal(["chat", ...replay], { cwd: folder });
  await terminal.until(/You ›/);
  terminal.press("list them", enter);
  await terminal.until(/→ late/);
  terminal.press("only the bl");
  await terminal.until(/Add › only the bl/);
  terminal.press("ue ones", enter);
  await terminal.until(/the model reads it with its next request/);
  terminal.press("and ");
  await terminal.until(/Add › and/);
  await write("begin", ""); // the turn ends while the line is open
  await vi.waitFor(() => read("end"), { timeout: 300_000 });
  await vi.waitFor(async () => expect((await run(["sessions", "list"])).stdout).toMatch(/^s1 +done/m), {
    timeout: 300_000,
  });
  expect(terminal.text()).not.toContain("✔ ok late");
  terminal.press("again", enter);
  await terminal.until(
    /✔ ok late[\s\S]*added: only the blue ones[\s\S]*then\.[\s\S]*A second turn\.[\s\S]*You ›/,
  );
  terminal.press(keys.ctrlD);

  expect(await terminal.ended, terminal.text()).toBe(0);
  const { stdout } = await run(["sessions", "show", "s1"]);
  expect(stdout).toMatch(/user: list them[\s\S]*user: only the blue ones[\s\S]*user: and again/);
});

test("chat: a line is open while a question comes; the question waits for it, and Ctrl-C in the line cancels the turn", async () => {
  const { folder, run, write } = await agent(
    response(call("a", "late")),
    response(call("b", "remove", { path: "old.txt" })),
    response(say("Kept.")),
    response(call("c", "hang")),
  );
  const terminal = atTerminal(["chat", ...replay], { cwd: folder });
  await terminal.until(/You ›/);
  terminal.press("go", enter);
  await terminal.until(/→ late/);
  terminal.press("k");
  await terminal.until(/Add › k/);
  await write("begin", "");
  terminal.press("eep it", enter);
  await terminal.until(ready);
  terminal.press(enter); // no
  await terminal.until(/Kept\.[\s\S]*You ›/);
  terminal.press("wait", enter);
  await terminal.until(/→ hang/);
  terminal.press("x");
  await terminal.until(/Add › x/);
  terminal.press(ctrlC);
  await terminal.until(/Add › *$/);
  terminal.press(ctrlC);
  await terminal.until(/press Ctrl-C again to cancel the turn[\s\S]*Add › *$/);
  terminal.press(ctrlC);
  await terminal.until(/the turn was cancelled[\s\S]*You ›/);
  terminal.press(keys.ctrlD);

  expect(await terminal.ended, terminal.text()).toBe(1); // the last turn was cancelled
  expect((await run(["sessions", "show", "s1"])).stdout).toContain("user: keep it");
});

test("chat: Ctrl-D leaves, the line before is under the arrow, and what is pasted is one prompt", async () => {
  const { folder, run } = await agent(response(say("One.")), response(say("Two.")), response(say("Three.")));
  const terminal = atTerminal(["chat", ...replay], { cwd: folder });
  await terminal.until(/You ›/);
  terminal.press("hello", enter);
  await terminal.until(/One\.[\s\S]*You ›/);
  terminal.press(keys.up, enter);
  await terminal.until(/Two\.[\s\S]*You ›/);
  terminal.press("first line\rsecond 日本語\r");
  await terminal.until(/Three\.[\s\S]*You ›/);
  terminal.press(keys.ctrlD);

  expect(await terminal.ended, terminal.text()).toBe(0);
  const { stdout } = await run(["sessions", "show", "s1"]);
  expect(stdout.match(/^user: hello$/gm)).toHaveLength(2);
  expect(stdout).toContain("user: first line\nsecond 日本語\n");
});

test("chat: a paste of many lines is one prompt, shown short, and waits for Enter", async () => {
  const { folder, run } = await agent(response(say("Read.")));
  const terminal = atTerminal(["chat", ...replay], { cwd: folder });
  await terminal.until(/You ›/);
  const lines = Array.from(
    { length: 220 },
    (_, at) => `line ${at} of a long log, with \u001b[31mcolour and more of it`,
  );
  const paste = `\u001b[200~${lines.join("\r")}\r\u001b[201~`;
  for (let at = 0; at < paste.length; at += 1_023) terminal.press(paste.slice(at, at + 1_023));
  await terminal.until(/\[pasted 220 lines\]/);
  terminal.press(" and \u001b[200~one\u001b[201~", enter);
  await terminal.until(/Read\.[\s\S]*You ›/);
  terminal.press(keys.ctrlD);

  expect(await terminal.ended, terminal.text()).toBe(0);
  expect(terminal.bytes()).toMatch(/\[\?2004h[\s\S]*\[\?2004l/);
  const { stdout } = await run(["sessions", "show", "s1"]);
  expect(stdout.match(/^user: /gm)).toHaveLength(1);
  expect(stdout).toMatch(/user: line 0 of a long log[\s\S]*line 219 of a long log.*\n and one\n/);
});

test("a terminal that is closed cancels the turn, and leaves no call unanswered", async () => {
  const { folder, run } = await agent(response(call("a", "hang"), call("b", "hang")));
  const terminal = atTerminal(["run", ...replay, "go"], { cwd: folder });
  await terminal.until(/→ hang[\s\S]*→ hang/);
  terminal.hangUp();

  expect(await terminal.ended, terminal.text()).toBe(129);
  const shown = (await run(["sessions", "show", "s1"])).stdout;
  expect(shown).toMatch(/^s1 +cancelled /m);
  expect(shown.match(/"cancelled":true/g)).toHaveLength(2);
});

test("a model's text cannot act on the terminal, and hides nothing", async () => {
  const text = "a\u001b[2Jb \u001b]0;title\u0007c \u202ed \u200be \u3164f \u{e0041}g 日本語 👍";
  const { folder } = await agent(response(call("x", "echo", { text })), response(say(text)));
  const terminal = atTerminal(["run", ...replay, "go"], { cwd: folder, env: { NO_COLOR: "1" } });

  expect(await terminal.ended, terminal.text()).toBe(0);
  for (const harmful of ["\u001b", "\u0007", "\u202e", "\u200b", "\u3164", "\u{e0041}"])
    expect(terminal.bytes()).not.toContain(harmful);
  expect(terminal.text()).toContain(
    String.raw`a\u001b[2Jb \u001b]0;title\u0007c \u202ed \u200be \u3164f \udb40\udc41g 日本語 👍`,
  );
});

test("40 columns are enough for a question, an answer and the end", async () => {
  const { folder } = await agent(
    response(call("a", "remove", { path: "a/rather/long/path/to/what/is/old.txt" })),
    response(say("Done.")),
  );
  const terminal = atTerminal(["run", ...replay, "go"], { cwd: folder, columns: 40, rows: 50 });
  await terminal.until(ready);
  terminal.resize(38, 50);
  terminal.press("y");

  expect(await terminal.ended, terminal.text()).toBe(0);
  expect(terminal.text()).toMatch(/✔ ok remove[\s\S]*Done\./);
  for (const [line] of terminal.text().matchAll(/^.*(?:→|✔).*$/gm)) expect(line.length).toBeLessThan(41);
});
