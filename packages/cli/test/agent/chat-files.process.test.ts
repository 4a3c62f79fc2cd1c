import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readFiles, readPromptFiles } from "../../src/agent/prompt-files.ts";
import { call, response, say } from "../support/exchange.ts";
import { png } from "../support/png.ts";
import { atTerminal, keys } from "../support/terminal.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const writes = oneTool({
  name: "rewrite",
  body: `const { writeFileSync, rmSync } = await import("node:fs");
    writeFileSync("kept.txt", "by the model"); writeFileSync("new.txt", "by the model"); rmSync("old.txt");
    return data("done");`,
});

/** A model server that answers in order, and keeps what it was asked. */
async function startServer(...answers: readonly { readonly response: object }[]) {
  const asked: { input: unknown[] }[] = [];
  const server = createServer((request, reply) => {
    void json(request).then((body) => {
      asked.push(body as { input: unknown[] });
      const { response: answer } = answers[asked.length - 1] ?? response(say("No more."));
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    asked,
    session: `agent: { model: m, stream: false, baseUrl: "${url}", apiKey: k }\n`,
  };
}

test("a chat sends the images and files that a line names by @path, and keeps words that are no files", async () => {
  const { asked, session } = await startServer(response(say("A red pixel.")), response(say("Two lines.")));
  const { folder } = await workspace({
    "mount-plan.yaml": `${planOf("./echo.ts")}${session}`,
    "echo.ts": writes,
    "notes.txt": "one\ntwo",
  });
  await writeFile(join(folder, "red pixel.png"), png);
  const terminal = atTerminal(["chat"], { cwd: folder, columns: 80 });
  await terminal.until(/You ›/);
  terminal.press(`what is @"red pixel.png", @ada?`, keys.enter);
  await terminal.until(/@red pixel\.png: image\/png, 70 bytes[\s\S]*A red pixel\.[\s\S]*You ›$/);
  terminal.press("count the lines of @notes.txt and @gone.txt", keys.enter);
  await terminal.until(/@gone\.txt: there is no such file[\s\S]*Two lines\.[\s\S]*You ›$/);
  terminal.press(keys.ctrlD);
  expect(await terminal.ended, terminal.text()).toBe(0);

  expect(asked[0]!.input).toMatchObject([
    {
      role: "user",
      content: [
        { type: "input_text", text: `what is @"red pixel.png", @ada?` },
        { type: "input_image", image_url: `data:image/png;base64,${png.toString("base64")}` },
      ],
    },
  ]);
  expect(asked[1]!.input.at(-1)).toMatchObject({
    content: 'count the lines of @notes.txt and @gone.txt\n\n<file path="notes.txt">\none\ntwo\n</file>',
  });
});

test.each([
  ["a name that lies", "x.png", Buffer.from("just text"), /text, 9 bytes/],
  ["a program", "x.bin", Buffer.from([0, 1, 2]), /neither an image nor a text/],
  ["a text that is too long", "x.txt", Buffer.alloc(300_000, "a"), /300 kB are too large/],
])("%s is read by its bytes", async (_, name, bytes, says) => {
  const { folder } = await workspace({});
  await writeFile(join(folder, name), bytes);

  expect((await readPromptFiles([{ author: "typed", text: `look at @${name}` }], folder)).notes).toEqual([
    expect.stringMatching(says),
  ]);
});

test("what was typed in one chat is under the arrow of the next one, for the user alone", async () => {
  const { session } = await startServer(response(say("Hello.")));
  const { folder } = await workspace({
    "mount-plan.yaml": `${planOf("./echo.ts")}${session}`,
    "echo.ts": writes,
  });
  const first = atTerminal(["chat"], { cwd: folder });
  await first.until(/You ›/);
  first.press("say hello to Ada", keys.enter);
  await first.until(/Hello\.[\s\S]*You ›$/);
  first.press("/quit", keys.enter);
  expect(await first.ended).toBe(0);
  const second = atTerminal(["chat"], { cwd: folder });
  await second.until(/You ›/);
  second.press(keys.up, keys.up);
  await second.until(/You › say hello to Ada/);
  second.press(keys.ctrlC, keys.ctrlD);
  await second.ended;

  expect((await stat(join(folder, ".toolmount/chat-history"))).mode & 0o777).toBe(0o600);
});

test("/undo undoes what the last turn changed, after a question, also in a chat that resumes, and the next prompt says so", async () => {
  const write = (id: string, path: string) =>
    call(id, "write_file", { file_path: path, content: "by the model" });
  const { asked, session } = await startServer(
    response(write("c1", "kept.txt")),
    response(write("c2", "new.txt")),
    response(call("c3", "bash", { command: "true" })),
    response(say("Rewritten.")),
    response(say("I see.")),
  );
  const tools = join(import.meta.dirname, "../../../../tools");
  const { folder } = await workspace({
    "mount-plan.yaml": `version: 1
tools:
  - { module: filesystem, source: "file:${tools}/filesystem" }
  - { module: bash, source: "file:${tools}/bash", config: { isolation: none } }
policy: { level: autonomous, rules: [{ match: { tool: bash }, answer: allow, waives: confirmation }] }
${session}`,
    "kept.txt": "by hand",
  });
  const first = atTerminal(["chat", "--session", "s"], { cwd: folder });
  await first.until(/You ›/);
  first.press("/undo", keys.enter);
  await first.until(/no turn of this session changed something[\s\S]*You ›$/);
  first.press("rewrite them", keys.enter);
  await first.until(/Rewritten\.[\s\S]*You ›$/);
  expect(await readFile(join(folder, "kept.txt"), "utf8")).toBe("by the model");
  first.press(keys.ctrlD);
  expect(await first.ended, first.text()).toBe(0);

  const terminal = atTerminal(["chat", "--session", "s"], { cwd: folder });
  await terminal.until(/You ›/);
  terminal.press("/undo", keys.enter);
  await terminal.until(
    /undo 2 write_file[\s\S]*undo 1 write_file[\s\S]*stays 3 bash[\s\S]*Undo 2 changes\?[\s\S]*└ {2}Press /,
  );
  terminal.press("y");
  await terminal.until(/2 changes undone[\s\S]*You ›$/);
  terminal.press("why?", keys.enter);
  await terminal.until(/I see\.[\s\S]*You ›$/);
  terminal.press(keys.ctrlD);
  expect(await terminal.ended, terminal.text()).toBe(0);

  expect(await readFile(join(folder, "kept.txt"), "utf8")).toBe("by hand");
  await expect(stat(join(folder, "new.txt"))).rejects.toThrow("ENOENT");
  expect(asked.at(-1)!.input.at(-1)).toMatchObject({
    content: expect.stringContaining(
      '(The user undid these calls of yours: 2 write_file {"file_path":"new.txt"}; 1 write_file {"file_path":"kept.txt"}.)',
    ) as string,
  });
});

test("--watch mounts a changed tool again while a person types, and reports an invalid plan in one line", async () => {
  const { session } = await startServer();
  const { folder, write } = await workspace({
    "mount-plan.yaml": `${planOf("./echo.ts")}${session}`,
    "echo.ts": writes,
  });
  const terminal = atTerminal(["chat", "--watch"], { cwd: folder, columns: 300 });
  await terminal.until(/You ›/);
  terminal.press("half a line");
  await terminal.until(/You › half a line/);
  await write("echo.ts", writes.replace(`"rewrite"`, `"renew"`));
  await terminal.until(/↻ echo\.ts: reloaded, generation 2: \.\/echo\.ts mounted[\s\S]*You › half a line/);
  await write("mount-plan.yaml", "version: 1\ntools:\n  - module: ./gone.ts\n");
  await terminal.until(/✖ mount-plan\.yaml: not reloaded, the tools are as before: .* at mount-plan\.yaml:3/);
  terminal.press("\u0015/tools", keys.enter);
  await terminal.until(/renew +Does what a test wants[\s\S]*You ›$/);
  terminal.press(keys.ctrlD);
  expect(await terminal.ended, terminal.text()).toBe(0);
});

test("a file is read whatever its name is, and each file once", async () => {
  const { folder } = await workspace({ 'the "first" note.txt': "one" });
  const name = 'the "first" note.txt';

  expect(await readFiles([name, name], folder)).toEqual([
    { path: name, facts: "text, 3 bytes", text: "one" },
  ]);
});
