import { expect, test } from "vitest";
import { editClientText } from "../../src/clients/client-file.ts";

const text = `# mine
model = "m" # best

[mcp_servers.docs] # first
command = "npx"
args = ["-y",
  "docs", # later
]
# in it
[mcp_servers.docs.env]
TOKEN = "x"
# of the next

[mcp_servers."my.files"]
command = "node"

[profiles.fast]
list = [
  [1],
]
when = 2026-01-01T00:00:00Z
`;
const edit = (given: string, name: string, value?: object) =>
  editClientText(given, ["mcp_servers", name], value, "config.toml");

test("a server leaves a TOML file with its tables; every other line stays", async () => {
  const without = text.replace(/\[mcp_servers\.docs\][^]*TOKEN = "x"\n/, "");

  expect(await edit(text, "docs")).toBe(without);
  expect(await edit(without, "my.files")).toBe(without.replace(/\[mcp_servers\.[^]*?\n\n/, ""));
  expect(await edit(text, "none")).toBe(text);
});

test("a server is added at the end, in place of one of its name, with the tables below it", async () => {
  const entry = { command: "node", args: ["a"], env: { A: "1" } };
  const table = `[mcp_servers.docs]
command = "node"
args = [ "a" ]

[mcp_servers.docs.env]
A = "1"
`;
  expect(await edit("", "docs", entry)).toBe(table);
  expect(await edit("[mcp_servers]\n", "docs", entry)).toBe(`[mcp_servers]\n\n${table}`);
  expect(await edit(text, "docs", entry)).toBe(`${await edit(text, "docs")}\n${table}`);
});

test.each([
  'mcp_servers = { docs = { command = "x" } }\n',
  "[mcp_servers]\ndocs.command = 'x'\n",
  "mcp_servers.docs.command = 'x'\n",
  "a = '''\n[mcp_servers.docs]\n'''\n[mcp_servers.docs]\ncommand = 'x'\n",
])("a server in another form than a table is named, and nothing is written: %j", async (given) => {
  await expect(edit(given, "docs")).rejects.toThrow(
    "config.toml has docs in a form that toolmount cannot change; write it as a table of its own, [mcp_servers.docs]",
  );
});

test("a file that is not TOML is named with its line", async () => {
  await expect(edit("a = 1\nb = ", "docs")).rejects.toThrow("the list is not TOML: ");
});
