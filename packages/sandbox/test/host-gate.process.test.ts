import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProxy, hostPattern } from "../src/border/hosts-proxy.ts";
import { openHostGate } from "../src/border/host-gate.ts";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasNamespaces =
  process.env["CI"] !== undefined || spawnSync("unshare", ["--user", "--map-root-user", "true"]).status === 0;

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const proxyTo = (...hosts: string[]) => proxyBy({}, ...hosts);

async function proxyBy(env: Readonly<Record<string, string>>, ...hosts: string[]) {
  const [reached, refused] = [new Set<string>(), new Set<string>()];
  const port = await listen(createProxy(hosts, { reached, refused }, env));
  /** Sends bytes as they are, and reads all that comes back. */
  const raw = async (...lines: string[]) => {
    const socket = connect(port, "127.0.0.1");
    socket.end(`${lines.join("\r\n")}\r\n\r\n`);
    return text(socket).catch((error: NodeJS.ErrnoException) => error.code);
  };
  const get = async (url: string, headers = {}) => {
    const asked = request({ host: "127.0.0.1", port, path: url, headers }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    return [response.statusCode, await text(response)];
  };
  return { port, reached, refused, raw, get };
}

test.each([
  ["example.com", "http://example.com/", true],
  ["example.com", "http://EXAMPLE.com./", true],
  ["Example.com", "http://example.com:443/", true],
  ["example.com", "http://example.com:8080/", false],
  ["example.com:8080", "http://example.com:8080/", true],
  ["example.com:8080", "http://example.com/", false],
  ["example.com", "http://a.example.com/", false],
  ["example.com", "http://example.com.evil.test/", false],
  ["example.com", "http://example.com@evil.test/", false],
  ["*.example.com", "http://a.b.example.com/", true],
  ["*.example.com", "http://example.com/", false],
  ["*.example.com", "http://evilexample.com/", false],
  ["localhost", "http://127.0.0.1/", false],
  ["localhost", "http://[::1]/", false],
  ["127.0.0.1", "http://2130706433/", true],
])("the host %s lets %s pass: %s", async (listed, url, passes) => {
  const { refused, get } = await proxyTo(listed);
  const [status] = await Promise.race([
    get(url),
    new Promise<[number]>((resolve) => setTimeout(resolve, 3_000, [0])),
  ]);
  expect([status !== 403, refused.size === 0]).toEqual([passes, passes]);
});

test.each(["example.com", "*.example.com", "localhost:4873", "xn--bcher-kva.example", "10.0.0.1"])(
  "%s is a host",
  (host) => expect(host).toMatch(hostPattern),
);

test.each([
  "",
  "*",
  "*.",
  "https://example.com",
  "example.com/",
  "a b",
  "user@example.com",
  "example.com:",
  "[::1]",
])("%j is no host", (host) => expect(host).not.toMatch(hostPattern));

/** A proxy of the machine, which notes what it is asked, and answers or makes no connection. */
async function machineProxy(status = 200) {
  const asked: (string | undefined)[][] = [];
  const server = createServer(({ method, url, headers }, answer) => {
    asked.push([method, url, headers["proxy-authorization"], headers.host]);
    answer.end("by the proxy");
  });
  server.on("connect", ({ method, url, headers }: IncomingMessage, socket: Socket) => {
    asked.push([method, url, headers["proxy-authorization"]]);
    socket.write(`HTTP/1.1 ${status} Word\r\n\r\n`);
    socket.on("data", (bytes) => void socket.end(bytes.toString("utf8").toUpperCase()));
  });
  return { asked, address: `127.0.0.1:${await listen(server)}` };
}

describe("where the machine has a proxy of its own", () => {
  const basic = `Basic ${Buffer.from("ada:p@ss").toString("base64")}`;

  test("listed hosts are reached by it, also with a password, and no others", async () => {
    const { asked, address } = await machineProxy();
    const by = `http://ada:p%40ss@${address}`;
    const { reached, get, raw } = await proxyBy(
      { HTTP_PROXY: by, https_proxy: by },
      "registry.test",
      "b.test:81",
    );
    expect(await get("http://registry.test/a?b=1", { "proxy-authorization": "own" })).toEqual([
      200,
      "by the proxy",
    ]);
    expect(await raw("CONNECT registry.test:443 HTTP/1.1", "", "hello")).toMatch(
      /^HTTP\/1\.1 200 .*\r\n\r\nHELLO/s,
    );
    expect((await get("http://evil.test/"))[0]).toBe(403);
    expect(asked).toEqual([
      ["GET", "http://registry.test/a?b=1", basic, "registry.test"],
      ["CONNECT", "registry.test:443", basic],
    ]);
    expect([...reached]).toEqual(["registry.test:80", "registry.test:443"]);
  });

  test("a password with half an escape is sent as it is", async () => {
    const { asked, address } = await machineProxy();
    const { get } = await proxyBy({ http_proxy: `http://ada:50%@${address}` }, "registry.test");
    expect(await get("http://registry.test/")).toEqual([200, "by the proxy"]);
    expect(asked[0]![2]).toBe(`Basic ${Buffer.from("ada:50%").toString("base64")}`);
  });

  test("its refusal is the answer", async () => {
    const { address } = await machineProxy(407);
    const { reached, raw } = await proxyBy({ all_proxy: `http://${address}` }, "registry.test");
    expect(await raw("CONNECT registry.test:443 HTTP/1.1")).toContain(
      `registry.test:443: the proxy of this machine, ${address}, answered 407`,
    );
    expect(reached.size).toBe(0);
  });

  test.each(["*", "127.0.0.1", "x.test, 127.0.0.1:PORT"])(
    "what no_proxy names is reached directly: %s",
    async (direct) => {
      const { asked, address } = await machineProxy();
      const port = await listen(createServer((_, answer) => void answer.end("directly")));
      const variables = { http_proxy: `http://${address}`, no_proxy: direct.replace("PORT", String(port)) };
      const { get } = await proxyBy(variables, `127.0.0.1:${port}`);
      expect(await get(`http://127.0.0.1:${port}/`)).toEqual([200, "directly"]);
      expect(asked).toEqual([]);
    },
  );
});

test("what is no request of a proxy is answered, and ends nothing", async () => {
  const { raw, get, reached } = await proxyTo("localhost");
  expect(await raw("GET / HTTP/1.1", "Host: x")).toContain("400 Bad Request");
  expect(await raw("CONNECT  HTTP/1.1", "Host: x")).toMatch(/403|400/);
  expect(await raw("CONNECT localhost:99999 HTTP/1.1", "Host: x")).toContain("403");
  expect(await raw("GET ftp://localhost/ HTTP/1.1", "Host: x")).toContain("400 Bad Request");
  expect(await raw("\u0000\u0001")).toContain("400 Bad Request");
  expect(await get("http://localhost:80/")).toEqual([502, expect.stringMatching(/^localhost:80: /)]);
  expect([...reached]).toEqual([]);
});

test("a request is passed on as it is, without what is for the proxy; a server that dies ends it", async () => {
  const server = createServer((asked, answer) => {
    const { method, url, headers: given } = asked;
    if (url === "/die") asked.socket.destroy();
    else
      void text(asked).then((body) =>
        answer.end(JSON.stringify([method, url, given.host, given["proxy-authorization"], body])),
      );
  });
  const to = await listen(server);
  const { get, reached } = await proxyTo(`localhost:${to}`);
  const headers = { "Proxy-Authorization": "secret", Host: "evil.test" };
  expect(await get(`http://localhost:${to}/a?b`, headers)).toEqual([
    200,
    `["GET","/a?b","localhost:${to}",null,""]`,
  ]);
  expect([...reached]).toEqual([`localhost:${to}`]);
  expect(await get(`http://localhost:${to}/die`)).toEqual([502, expect.any(String)]);
});

describe.runIf(hasNamespaces)("a gate", () => {
  test("says what is not there, leaves no process, and is closed", async () => {
    expect(await openHostGate({ hosts: ["localhost"], env: { PATH: "/nowhere" } })).toEqual({
      problem: "bwrap and nsenter are not on PATH; install the packages bubblewrap and util-linux",
    });
    const gate = await openHostGate({ hosts: ["localhost"], env: process.env });
    if ("problem" in gate) throw new Error(gate.problem);
    const { file, args } = gate.enter("true", []);
    await expect.poll(() => spawnSync("pgrep", ["-P", String(process.pid), "bwrap"]).status).toBe(1);
    expect(spawnSync(file, args).status).toBe(0);
    gate.close();
    expect(spawnSync(file, args).status).not.toBe(0);
  });
});
