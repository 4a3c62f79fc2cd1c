import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findServer, readServerFile } from "../../src/scaffold/mcp-registry.ts";
import { workspace } from "../support/workspace.ts";

const server = (version: string, name = "io.github.acme/weather") => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name,
  description: "Weather of towns",
  version,
  packages: [{ registryType: "npm", identifier: "@acme/weather", version, transport: { type: "stdio" } }],
});

const message = (text: string) => expect.objectContaining({ code: "USAGE_INVALID", message: text });

/** A registry that gives the same answer to every path, or one for each beginning of a path. */
async function registryOf(answers: Readonly<Record<string, readonly [number, string]>>) {
  const asked: string[] = [];
  const http = createServer(({ url = "" }, response) => {
    asked.push(url);
    const [, [status, body]] = Object.entries(answers).find(([start]) => url.startsWith(start))!;
    response.writeHead(status, { location: "/elsewhere" }).end(body);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked };
}

const path = "/v0.1/servers/io.github.acme%2Fweather/versions/latest";
const search = "/v0.1/servers?version=latest&limit=5&search=weather";
const listOf = (...all: string[]) => JSON.stringify({ servers: all.map((name) => ({ server: { name } })) });

test.each<[string, Readonly<Record<string, readonly [number, string]>>, string]>([
  [
    "an answer that is not JSON",
    { "/": [200, "<p>"] },
    `no MCP server "{url}${path}": Unexpected token '<', "<p>" is not valid JSON`,
  ],
  [
    "an answer without a server",
    { "/": [200, "{}"] },
    `no MCP server "{url}${path}": it is not a server.json: Invalid input: expected object, received undefined`,
  ],
  [
    "a server that is away",
    { "/": [503, "later"] },
    `no MCP server "io.github.acme/weather": {url}${path} answered with status 503`,
  ],
  [
    "an answer that leads elsewhere",
    { "/": [302, ""] },
    `no MCP server "{url}${path}": it cannot be asked: fetch failed: unexpected redirect`,
  ],
  [
    "a name that it does not have, with near ones",
    { [path]: [404, ""], "/": [200, listOf("a", "b", "a", "c", "d", "e", "f")] },
    'no MCP server "io.github.acme/weather@latest": {url} has a, b, c, d, e',
  ],
  [
    "a name that it does not have, and a search without a result",
    { [path]: [404, ""], "/": [200, listOf()] },
    'no MCP server "io.github.acme/weather@latest": {url} has no such server',
  ],
  [
    "a name that it does not have, and a search that fails",
    { [path]: [404, ""], "/": [500, listOf("a")] },
    'no MCP server "io.github.acme/weather@latest": {url} has no such server',
  ],
  [
    "a name that it does not have, and a search whose answer is another one",
    { [path]: [404, ""], "/": [200, '{"servers":[{}]}'] },
    'no MCP server "io.github.acme/weather@latest": {url} has no such server',
  ],
  [
    "an answer over 4 MiB",
    { "/": [200, " ".repeat(4 * 1024 * 1024 + 1)] },
    `no MCP server "{url}${path}": a message is larger than 4194304 bytes`,
  ],
  [
    "an answer of 4 MiB",
    { "/": [200, " ".repeat(4 * 1024 * 1024)] },
    `no MCP server "{url}${path}": Unexpected end of JSON input`,
  ],
])("a registry with %s is named in the error", async (_, answers, text) => {
  const { url, asked } = await registryOf(answers);

  const finding = findServer("io.github.acme/weather", `${url}//`, "/");

  await expect(finding).rejects.toThrow(message(text.replaceAll("{url}", url)));
  expect(asked).toEqual(text.includes("@latest") ? [path, search] : [path]);
});

test("a version is asked for as it is written", async () => {
  const { url, asked } = await registryOf({ "/": [200, JSON.stringify({ server: server("1.0.0+b") })] });

  expect(await findServer("io.github.acme/weather@1.0.0+b", url, "/")).toMatchObject({ version: "1.0.0+b" });
  expect(asked).toEqual(["/v0.1/servers/io.github.acme%2Fweather/versions/1.0.0%2Bb"]);
});

test.each(["http://example.com", "http://10.0.0.1/", "https://", `http://${"x".repeat(300)}.org`])(
  "a registry without TLS is not asked: %.30s",
  async (registry) => {
    await expect(findServer("a/b", registry, "/")).rejects.toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        message: `option registry: ${registry.slice(0, 200)} is not an address that begins with https://`,
      }),
    );
  },
);

test("a registry that nothing listens for cannot be asked", async () => {
  await expect(findServer("a/b", "http://127.0.0.1:1", "/")).rejects.toThrow(
    message(
      'no MCP server "http://127.0.0.1:1/v0.1/servers/a%2Fb/versions/latest": it cannot be asked: fetch failed: bad port',
    ),
  );
});

test("a folder has the servers of its files, and the newest version is found", async () => {
  const { folder } = await workspace({
    "one/server.json": JSON.stringify(server("2.0.0-beta")),
    "a.server.json": JSON.stringify(server("1.9.0")),
    "b.server.json": JSON.stringify(server("1.10.0")),
    "server.json": JSON.stringify(server("zzz")),
    "notserver.json": "{",
    "empty/readme.md": "",
    "old/server.json": JSON.stringify(server("9", "acme/old")),
    "older/server.json": JSON.stringify(server("10", "acme/old")),
  });
  const versionOf = async (wanted: string, registry = ".") =>
    (await findServer(wanted, registry, folder)).version;

  expect(await versionOf("io.github.acme/weather")).toBe("2.0.0-beta");
  expect(await versionOf("io.github.acme/weather@1.9.0")).toBe("1.9.0");
  expect(await versionOf("io.github.acme/weather@zzz")).toBe("zzz");
  expect(await versionOf("acme/old")).toBe("10");
  expect(await versionOf("io.github.acme/weather", "b.server.json")).toBe("1.10.0");
  await expect(findServer("acme/none@2", "one", folder)).rejects.toThrow(
    message(`no MCP server "acme/none@2": ${join(folder, "one")} has io.github.acme/weather`),
  );
  await expect(findServer("acme/none", "a.server.json", folder)).rejects.toThrow(
    message(`no MCP server "acme/none": ${join(folder, "a.server.json")} has io.github.acme/weather`),
  );
  await expect(findServer("acme/none", "gone", folder)).rejects.toThrow(
    message(
      `no MCP server "${join(folder, "gone")}": ENOENT: no such file or directory, stat '${join(folder, "gone")}'`,
    ),
  );
});

test("a file that is no server.json is refused with its place and what it lacks", async () => {
  const { folder } = await workspace({ "half.json": "{", "other.json": '{"name":1}' });
  const at = (name: string) => join(folder, name);

  await expect(readServerFile(at("half.json"))).rejects.toThrow(
    message(
      `no MCP server "${at("half.json")}": Expected property name or '}' in JSON at position 1 (line 1 column 2)`,
    ),
  );
  await expect(readServerFile(at("other.json"))).rejects.toThrow(
    message(
      `no MCP server "${at("other.json")}": it is not a server.json: name: Invalid input: expected string, received number`,
    ),
  );
});
