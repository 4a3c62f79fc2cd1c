import { expect, test } from "vitest";
import { readServerList } from "../../src/scaffold/read-server-list.ts";
import { readToml } from "../../src/scaffold/read-toml.ts";

const read = (text: string) =>
  readToml(text, (line) => {
    throw new Error(`line ${line}`);
  });

test("tables, texts, lists of several lines and tables in a line are read", () => {
  const text = `# of Codex
model = "m" # a comment
[mcp_servers."my notes"]
command = 'node'
args = [
  "a.mjs", # the first
  "b\\t\\"c\\"",
]
env = { KEY = "v", "other.key" = 'w' }
startup_timeout_sec = 20.5

[mcp_servers.two.env]
ON = "true"
on = true
`;
  expect(JSON.parse(JSON.stringify(read(text)))).toEqual({
    model: "m",
    mcp_servers: {
      "my notes": {
        command: "node",
        args: ["a.mjs", 'b\t"c"'],
        env: { KEY: "v", "other.key": "w" },
        startup_timeout_sec: 20.5,
      },
      two: { env: { ON: "true", on: true } },
    },
  });
});

test("a path of Windows is a text of both kinds", () => {
  expect({
    ...read(String.raw`a = "C:\\Users\\q"
b = 'C:\Users\q'`),
  }).toEqual({ a: String.raw`C:\Users\q`, b: String.raw`C:\Users\q` });
});

test.each([
  ["a = ", 1],
  ["a = 1\nb = 2026-01-01", 2],
  ["[[a]]", 1],
  ['a = "open', 1],
  ["a = [1,", 1],
  ["a = 1\n[a.b]", 2],
  ["a = { b = }", 1],
  ['a = "\\q"', 1],
  ["a", 1],
  ['a = "\\u12"', 1],
  ['a = "\u0001"', 1],
])("what is not read names its line: %j", (text, line) => {
  expect(() => read(text)).toThrow(`line ${line}`);
});

test("a list of Codex is entries, and says what of it the plan does not get", async () => {
  const { entries, left } = await readServerList(`[mcp_servers.notes]
command = "node"
args = ["s.mjs"]
disabled_tools = ["drop"]
supports_parallel_tool_calls = true

[mcp_servers.far]
url = "https://mcp.example.com/mcp"
bearer_token_env_var = "FAR_TOKEN"

[mcp_servers.off]
command = "node"
enabled = false
`);
  expect(entries).toMatchObject([
    { module: "notes", source: { mcp: { command: "node", args: ["s.mjs"] } }, tools: { exclude: ["drop"] } },
    {
      module: "far",
      source: {
        mcp: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${FAR_TOKEN}" } },
      },
    },
  ]);
  expect(left.map(({ name }) => name).toSorted()).toEqual(["notes, supports_parallel_tool_calls", "off"]);
});
