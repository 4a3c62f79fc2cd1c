import { execFile } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { atTerminal } from "../support/terminal.ts";
import { command as program, oneTool, planOf, workspace } from "../support/workspace.ts";

/** A tool that writes to stdout in every way that a process has. */
const noisy = oneTool({
  name: "noisy",
  body: `
    console.log("by console");
    process.stdout.write("by process.stdout\\n");
    const { spawnSync } = await import("node:child_process");
    const { writeSync } = await import("node:fs");
    spawnSync("sh", ["-c", "echo by a child"], { stdio: "inherit" });
    writeSync(1, "by the descriptor\\n");
    return data({ quiet: true });`,
});
const ways = ["by console", "by process.stdout", "by a child", "by the descriptor"];

const files = { "mount-plan.yaml": planOf("./noisy.ts"), "noisy.ts": noisy };

describe("a tool writes to stderr, whatever it uses, and stdout holds the answer alone", () => {
  test("when stdout is a socket, as under a Node program", async () => {
    const { run } = await workspace(files);
    const { stdout, stderr, json } = await run(["call", "noisy", "--json"]);

    expect(json()).toMatchObject({ status: "ok", result: { data: { quiet: true } } });
    for (const way of ways)
      expect([stdout, stderr]).toEqual([expect.not.stringContaining(way), expect.stringContaining(way)]);
  });

  test.each([
    { title: "a pipe", line: `"$@" 2>errors | cat >answers` },
    { title: "a file", line: `{ echo before; "$@"; echo after; } >answers 2>errors` },
  ])("when stdout is $title", async ({ title, line }) => {
    const { folder } = await workspace(files);
    const command = [process.execPath, ...program, "call", "noisy", "--json"];
    await promisify(execFile)("bash", ["-c", line, "bash", ...command], { cwd: folder });
    const answers = readFileSync(join(folder, "answers"), "utf8");
    const errors = readFileSync(join(folder, "errors"), "utf8");

    const own = title === "a file" ? /^before\n([\s\S]*)after\n$/.exec(answers)?.[1] : answers;
    expect(JSON.parse(own ?? "")).toMatchObject({ status: "ok" });
    for (const way of ways) expect(errors).toContain(way);
  });

  test("when both are terminals", async () => {
    const { folder } = await workspace(files);
    const errors = join(folder, "errors");
    closeSync(openSync(errors, "w"));
    const terminal = atTerminal(["call", "noisy"], { cwd: folder });

    expect(await terminal.ended, terminal.text()).toBe(0);
    for (const way of ways) expect(terminal.text()).toContain(way);
    expect(terminal.text()).toContain("✔ ok noisy");
  });
});

test("a module that prints while it is listed leaves the JSON as it is", async () => {
  const { run } = await workspace({
    "mount-plan.yaml": planOf("./noisy.ts"),
    "noisy.ts": `console.log("imported");\n${noisy}`,
  });
  const { json, stderr } = await run(["list", "--json"]);

  expect(json()).toMatchObject({ tools: [{ name: "noisy" }] });
  expect(stderr).toBe("imported\n");
});

test("a reader that closes early does not change the exit code of check", async () => {
  const { folder } = await workspace({ "bad.yaml": `${planOf("gone")}    confg: {}\n` });
  const command = [process.execPath, ...program, "check", "bad.yaml"];
  const line = `set -o pipefail; "$@" | true; echo "code $?"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", line, "bash", ...command], { cwd: folder });

  expect(stdout).toBe("code 78\n");
});

test.runIf(process.platform === "linux")(
  "a full disk behind stdout is named, and fails the command",
  async () => {
    const { folder } = await workspace(files);
    const line = `"$@" > /dev/full; echo "$?"`;
    const { stdout, stderr } = await promisify(execFile)(
      "bash",
      ["-c", line, "bash", process.execPath, ...program, "list"],
      { cwd: folder },
    );

    expect([stdout, stderr]).toEqual(["1\n", "toolmount: the answer could not be written: ENOSPC\n"]);
  },
);

test.runIf(process.platform !== "win32")("a folder that was removed is named", async () => {
  const { folder } = await workspace(files);
  const line = `mkdir gone && cd gone && rmdir ../gone && "$@"; echo "$?"`;
  const { stdout, stderr } = await promisify(execFile)(
    "bash",
    ["-c", line, "bash", process.execPath, ...program, "check"],
    { cwd: folder },
  );

  expect(stdout).toBe("1\n");
  expect(stderr).toContain("toolmount: the current folder was removed; change to one that exists\n");
  expect(stderr).not.toContain("    at ");
});
