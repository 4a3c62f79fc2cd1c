import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandGroups } from "../src/commands.ts";
import { dailyCommands } from "../src/program.ts";
import { root, runCommand, runHere } from "./support/workspace.ts";

const commands = commandGroups.flatMap((group) => group.commands).filter(({ hidden }) => hidden !== true);

test("help --all names every command", async () => {
  const { code, stdout } = await runCommand(["help", "--all"]);

  expect(code).toBe(0);
  for (const { name, summary } of commands) expect(stdout).toMatch(new RegExp(`  ${name} +${summary}`));
});

/** Commands that only hold others; those have the options. */
const groups: Readonly<Record<string, string>> = { approvals: "list", package: "validate" };

test.each(commands.map(({ name }) => name))("the help of %s has its options and an example", async (name) => {
  const group = groups[name];
  const asOption = await runHere([name, "--help"]);
  const asCommand = await runHere(["help", name]);
  const withOptions = group === undefined ? asOption : await runHere([name, group, "--help"]);

  expect(asOption.code).toBe(0);
  expect(withOptions.stdout).toContain("--json");
  expect(asOption.stdout).toMatch(new RegExp(`Examples?:\\n  \\$ .*toolmount ${name}\\b`));
  expect(asCommand.stdout).toBe(asOption.stdout);
});

test("a process of its own prints the same help", async () => {
  const here = await runHere(["check", "--help"]);

  expect(await runCommand(["check", "--help"])).toMatchObject({ code: 0, stdout: here.stdout, stderr: "" });
});

test.each([[["--help"]], [["-h"]], [["help"]]])("%j shows the ten commands of a day", async (words) => {
  const { code, stdout, stderr } = await runCommand(words);
  const shown = commands.filter(({ name }) => new RegExp(`^  ${name} `, "m").test(stdout));

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(shown.map(({ name }) => name).toSorted()).toEqual(dailyCommands.toSorted());
  expect(shown).toHaveLength(10);
  expect(stdout).toContain("toolmount help --all");
});

test.each([
  [["tools"], "did you mean toolmount list?"],
  [["call", "read_file", "--city", "Oslo"], "an argument of a tool is written city=Oslo"],
])("%j is refused with what was probably meant", async (words, meant) => {
  const { code, stderr } = await runCommand(words);
  expect(code).toBe(2);
  expect(stderr).toContain(meant);
});

test("an unknown command is wrong usage, with the near one", async () => {
  const { code, stderr } = await runCommand(["lst"]);

  expect(code).toBe(2);
  expect(stderr).toContain("unknown command 'lst' (Did you mean list?)");
});

test.each([
  [["create", "weather"], "see toolmount package create --help"],
  [["policy", "suggest", "--forms", "x"], "see toolmount policy suggest --help"],
  [["lst"], "see toolmount --help"],
])("wrong usage of %j names the help of that command", async (words, hint) => {
  expect((await runHere(words)).stderr).toContain(hint);
});

test("the version is the package's", async () => {
  expect(await runCommand(["--version"])).toMatchObject({ code: 0, stdout: "0.0.0\n" });
});

test("a reader that closes the pipe early is no failure", () => {
  const list = `"${process.execPath}" -C @toolmount/source packages/cli/src/main.ts list mount-plans/reference.yaml --json`;
  const { status, stdout, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", `${list} | head -1`], {
    cwd: root,
    encoding: "utf8",
  });

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "{\n", stderr: "" });
});

test.each([
  { env: {}, coloured: false },
  { env: { FORCE_COLOR: "1" }, coloured: true },
  { env: { FORCE_COLOR: "1", NO_COLOR: "1" }, coloured: false },
])("without a terminal, $env means colours: $coloured", async ({ env, coloured }) => {
  const { stdout } = await runCommand(["--help"], { env });

  expect(stdout.includes("\u001b[")).toBe(coloured);
});
