import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { addToPlan, importFile, knownSettings } from "../../src/scaffold/import-file.ts";
import { workspace } from "../support/workspace.ts";

const server = (name: string) => ({ command: "node", args: [`${name}.mjs`] });

const servers = {
  one: { ...server("one"), env: { ONE_KEY: "sk-1" } },
  two: server("two"),
  own: { command: "npx", args: ["toolmount", "serve"] },
  off: { ...server("off"), disabled: true },
};

const list = (mcpServers: object) => JSON.stringify({ mcpServers });

test("a list of servers becomes a plan; a server that is toolmount, or is switched off, is left out with the reason", async () => {
  const { folder, read } = await workspace({ "list.json": list(servers) });
  const file = join(folder, "mount-plan.yaml");
  const made = await importFile("list.json", undefined, folder);
  expect(made).toMatchObject({
    kind: "servers",
    report: { file, added: ["one", "two"], removed: [], kept: [] },
    left: [
      { name: "own", because: "it runs toolmount serve: a plan must not mount itself" },
      { name: "off", because: "the list switches it off" },
    ],
  });
  expect(made).toHaveProperty("variables", [
    expect.objectContaining({ because: expect.stringMatching(/^one/) }),
  ]);
  const text = await read("mount-plan.yaml");
  expect(text.startsWith(`version: 1\nname: ${JSON.stringify(basename(folder))}\n`)).toBe(true);
  expect(text).not.toContain("sk-1");
});

test("a second import adds what is new, and names the variables of the new servers only", async () => {
  const { folder } = await workspace({
    "first.json": list({ one: servers.one }),
    "second.json": list({ one: servers.one, three: { ...server("three"), env: { THREE_KEY: "sk-3" } } }),
  });
  await importFile("first.json", "deep.yaml", folder);
  const made = await importFile("second.json", "deep.yaml", folder);
  expect(made).toMatchObject({
    report: { file: join(folder, "deep.yaml"), added: ["three"], kept: ["one"] },
    variables: [{ because: expect.stringMatching(/^three/) }],
    left: [],
  });
  expect(made).toHaveProperty("variables.length", 1);
});

test("permission rules become lines of the plan's policy", async () => {
  const { folder, read } = await workspace({
    "settings.json": JSON.stringify({ permissions: { allow: ["LS"], deny: ["Bash(rm:*)", "NotebookEdit"] } }),
    "plan.yaml": "version: 1\ntools: []\n",
  });
  const made = await importFile(join(folder, "settings.json"), "plan.yaml", folder);
  expect(made).toMatchObject({
    kind: "rules",
    report: { file: join(folder, "plan.yaml") },
    left: [{ rule: "NotebookEdit", because: "no tool of toolmount does the same" }],
  });
  const text = await read("plan.yaml");
  expect(text).toContain("list_directory");
  expect(text).toContain("bash(rm *)");
});

test("a file that cannot be read is named, with its whole path", async () => {
  const { folder } = await workspace({});
  await expect(importFile("none.json", undefined, folder)).rejects.toMatchObject({
    code: "USAGE_INVALID",
    message: expect.stringContaining(`${join(folder, "none.json")} cannot be read`),
    cause: { code: "ENOENT" },
  });
});

test("only a plan that is not there is written: another error stays, and no file is made", async () => {
  const { folder, read } = await workspace({});
  const broken = new Error("broken");
  await expect(addToPlan("a.yaml", folder, () => Promise.reject(broken))).rejects.toBe(broken);
  await expect(read("a.yaml")).rejects.toMatchObject({ code: "ENOENT" });
});

test("settings of other applications are found in these files", () => {
  expect(knownSettings).toEqual([
    ".mcp.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
  ]);
});
