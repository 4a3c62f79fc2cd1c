import { expect, test } from "vitest";
import { config } from "../src/mount/config.ts";
import { withUi } from "../src/mount/ui.ts";

const here = { name: "files", command: "files-server" };
const there = { name: "files", url: "https://files.example.com/mcp" };
const secret = { clientId: "a", clientSecret: "b", issuer: "https://a.example" };

test.each<[object, string]>([
  [{ name: "files" }, "an MCP server has a command or a url: exactly one of them"],
  [{ ...here, ...there }, "an MCP server has a command or a url: exactly one of them"],
  [{ ...here, users: { ana: {} } }, "users are for an entry with instance: user"],
  [
    { ...there, auth: { grant: "token_exchange", ...secret } },
    "the grant token_exchange gives each user a token; write instance: user",
  ],
  [
    { ...there, instance: "user", headers: { AUTHORIZATION: "Bearer x" } },
    "with instance: user, no user has the credentials of another: write authorization under users, not under headers",
  ],
  [
    { ...there, instance: "user", auth: { grant: "client_credentials", ...secret } },
    "with instance: user, each user signs in: the grant client_credentials is for the host's own credentials",
  ],
  [
    { ...there, border: "bubblewrap" },
    "a border is for an MCP server with a command; a server with a url runs elsewhere",
  ],
  ...[{ read: ["a"] }, { write: ["a"] }, { network: "any" }].map((grant): [object, string] => [
    { ...here, ...grant },
    "read, write and network are grants of a border; add border: bubblewrap",
  ]),
])("the entry %j is refused: %s", (entry, problem) => {
  expect(config.safeParse(entry).error?.issues.map(({ message }) => message)).toEqual([problem]);
});

test.each([
  { ...here, border: "bubblewrap", read: ["a"], write: ["a"], network: "any" },
  { ...there, instance: "user", users: { ana: { headers: { authorization: "Bearer x" } } } },
  { ...there, auth: { grant: "client_credentials", ...secret } },
  { ...there, instance: "user", auth: { grant: "token_exchange", ...secret } },
  { ...there, timeoutMs: 2 ** 31 - 1, startTimeoutMs: 2 ** 31 - 1, maxTimeoutMs: 2 ** 31 - 1 },
])("the entry %j is taken", (entry) => {
  expect(config.safeParse(entry).success).toBe(true);
});

const address = "ui://chart/app.html";
const tool = { name: "draw", inputSchema: { type: "object" as const } };

test.each([
  [
    "of today's extension",
    { ui: { resourceUri: address } },
    { ui: { resourceUri: "ui://a_/chart/app.html" } },
  ],
  ["of its older draft", { "ui/resourceUri": address }, { "ui/resourceUri": "ui://a_/chart/app.html" }],
])("a user interface %s is offered by its served address, or not at all", (_draft, meta, served) => {
  const drawn = { ...tool, _meta: { ...meta, other: 1 } };

  expect(withUi(drawn, { expose: ["ui"], prefix: "a_" })).toEqual({
    ...tool,
    _meta: { ...served, other: 1 },
  });
  expect(withUi(drawn, { expose: [], prefix: "a_" })).toEqual({ ...tool, _meta: { other: 1 } });
  expect(withUi({ ...tool, _meta: meta }, { expose: [], prefix: "a_" })).toEqual(tool);
});
