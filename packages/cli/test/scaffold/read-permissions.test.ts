import { expect, test } from "vitest";
import { readPermissions } from "../../src/scaffold/read-permissions.ts";

test.each([
  ["deny", "Bash(rm:*)", ["bash(rm *)"]],
  ["allow", "Bash(git status)", ["bash(git status)"]],
  ["deny", "WebFetch", ["web_fetch"]],
  ["allow", "WebFetch(domain:docs.example.org)", ["web_fetch(http*://docs.example.org/*)"]],
  ["deny", "Read(./.env)", ["read_file(*.env)"]],
  ["deny", "Read(./secrets/**)", ["read_file(*secrets/*)"]],
  ["allow", "Read(./src/**)", ["read_file(src/*)"]],
  ["ask", "Write(//etc/**)", ["write_file(/etc/*)"]],
  ["deny", "Edit", ["edit_file", "multi_edit_file", "write_file"]],
  ["allow", "mcp__github__search_code", ["github_search_code"]],
  ["deny", "mcp__github", ["github_*"]],
] as const)("%s %s of Claude Code is %j here", (list, rule, lines) => {
  const { lists, left } = readPermissions({ permissions: { [list]: [rule] } })!;
  expect(lists[list]).toEqual(lines);
  expect(left).toEqual([]);
});

test.each([
  ["allow", "NotebookEdit", "no tool of toolmount does the same"],
  ["deny", "Read(~/.ssh/**)", "its pattern has no equal"],
  ["deny", 7, "it is not a text"],
] as const)("%s %s is left out, and reported: %s", (list, rule, because) => {
  expect(readPermissions({ permissions: { [list]: [rule] } })).toMatchObject({
    lists: { allow: [], ask: [], deny: [] },
    left: [{ rule: String(rule), because }],
  });
});

test("settings without permissions have no rules", () => {
  expect(readPermissions({ mcpServers: {} })).toBeUndefined();
});
