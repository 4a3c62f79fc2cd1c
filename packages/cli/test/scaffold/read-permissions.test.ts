import { expect, test } from "vitest";
import { readPermissions } from "../../src/scaffold/read-permissions.ts";

test.each([
  ["deny", "Bash(rm:*)", ["bash(rm *)"]],
  ["allow", "Bash(git status)", ["bash(git status)"]],
  ["allow", "Bash(! true)", [String.raw`bash(\! true)`]],
  ["deny", "WebFetch", ["web_fetch"]],
  ["allow", "WebFetch(domain:docs.example.org)", ["web_fetch(http*://docs.example.org/*)"]],
  ["deny", "Read(./.env)", ["read_file(*.env)"]],
  ["deny", "Read(./secrets/**)", ["read_file(*secrets/*)"]],
  ["allow", "Read(./src/**)", ["read_file(src/*)"]],
  ["ask", "Write(//etc/**)", ["write_file(/etc/*)"]],
  ["deny", "Edit", ["edit_file", "multi_edit_file", "write_file"]],
  ["allow", "mcp__github__search_code", ["github_search_code"]],
  ["deny", "mcp__github", ["github_*"]],
  ["ask", "Read(*)", ["read_file"]],
  ["ask", "Read()", ["read_file"]],
  ["deny", "Read(**/.env)", ["read_file(*.env)"]],
  ["deny", "Read(a/**/b/**)", ["read_file(*a/*b/*)"]],
  ["allow", "Read(**)", ["read_file(*)"]],
  ["allow", "Read(/src/*.ts)", ["read_file(src/*.ts)"]],
  ["deny", "MultiEdit(x)", ["multi_edit_file(*x)"]],
  ["deny", "Edit(x)", ["edit_file(*x)", "multi_edit_file(*x)", "write_file(*x)"]],
  ["deny", "Glob(src)", ["glob(src)"]],
  ["ask", "Grep(key)", ["grep(key)"]],
  ["allow", "LS", ["list_directory"]],
  ["allow", "WebSearch", ["web_search"]],
  ["ask", "Task", ["delegate"]],
  ["ask", "Agent(reader)", ["delegate(reader)"]],
  ["allow", "TodoWrite", ["todo"]],
  ["deny", "Bash(a:* b:*)", ["bash(a:* b *)"]],
] as const)("%s %s of Claude Code is %j here", (list, rule, lines) => {
  const { lists, left } = readPermissions({ permissions: { [list]: [rule] } })!;
  expect(lists[list]).toEqual(lines);
  expect(left).toEqual([]);
});

test.each([
  ["allow", "NotebookEdit", "no tool of toolmount does the same"],
  ["deny", "Read(~/.ssh/**)", "its pattern has no equal"],
  ["deny", "Read(!keep)", "its pattern has no equal"],
  ["allow", "Glob(src)", "its pattern has no equal"],
  ["deny", "WebFetch(path:x)", "its pattern has no equal"],
  ["deny", 7, "it is not a text"],
] as const)("%s %s is left out, and reported: %s", (list, rule, because) => {
  expect(readPermissions({ permissions: { [list]: [rule] } })).toMatchObject({
    lists: { allow: [], ask: [], deny: [] },
    left: [{ rule: String(rule), because }],
  });
});

test.each([{ mcpServers: {} }, { permissions: [] }, null, "text"])(
  "the settings %j have no rules",
  (settings) => {
    expect(readPermissions(settings)).toBeUndefined();
  },
);

test("rules of each list are read in its list, once, and a text in its place has no rules", () => {
  const permissions = { allow: ["LS", "LS"], ask: "WebFetch", deny: ["Bash", "Write"] };
  expect(readPermissions({ permissions })).toEqual({
    lists: { allow: ["list_directory"], ask: [], deny: ["bash", "write_file"] },
    left: [],
  });
});
