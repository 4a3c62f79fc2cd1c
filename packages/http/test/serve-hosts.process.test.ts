import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createToken, serveHosts } from "@toolmount/http";
import { describe, expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const listenProblem = (problem: string) =>
  expect.objectContaining({ code: "OPTION_INVALID", details: { option: "listen", problem } });

/** Some containers have no address of version 6. */
const hasVersion6 = Object.values(networkInterfaces()).some((own) =>
  own?.some(({ address }) => address === "::1"),
);

/** Sends the bytes of a request, and returns the answer when the server closes the connection. */
async function exchange(port: number, bytes: string, host = "127.0.0.1"): Promise<string> {
  const socket = connect(port, host);
  socket.on("error", () => {});
  socket.write(bytes);
  return text(socket);
}

describe("an address", () => {
  const options = { hosts: {}, authenticate: () => null };

  test("that another program has is refused, and so is one that this machine does not have", async () => {
    const { server } = await serve(createWorld().host);
    const port = server.port;
    await expect(serveHosts({ ...options, listen: { host: "127.0.0.1", port } })).rejects.toThrow(
      listenProblem(`another program listens on 127.0.0.1:${port}; choose another port, or end that program`),
    );
    const other = { host: "192.0.2.1", port: 9 };
    await expect(serveHosts({ ...options, listen: other, beyondLoopback: true })).rejects.toThrow(
      listenProblem("this machine has no address 192.0.2.1:9"),
    );
  });

  test("that other machines can reach has to be allowed", async () => {
    const listen = { host: "0.0.0.0", port: 0 };
    const refused = listenProblem(
      "other machines can reach 0.0.0.0; listen on 127.0.0.1 behind a proxy with TLS, or allow it explicitly",
    );
    await expect(serveHosts({ ...options, listen })).rejects.toThrow(refused);
    await expect(serveHosts({ ...options, listen, beyondLoopback: false })).rejects.toThrow(refused);
    const server = await serveHosts({ ...options, listen, beyondLoopback: true });
    const answer = (host: string) =>
      exchange(server.port, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    // The address of all is the name of none.
    expect(await answer("0.0.0.0")).toMatch(/^HTTP\/1\.1 403 /);
    expect(await answer("localhost")).toMatch(/^HTTP\/1\.1 403 /);
    await server.close({ graceMs: 0 });
  });

  test.runIf(hasVersion6)("of version 6 is written in brackets", async () => {
    const { server } = await serve({}, { listen: { host: "::1", port: 0 } });
    expect(server.url).toBe(`http://[::1]:${server.port}`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test("may have more names, in any case", async () => {
    const { server } = await serve(createWorld().host, { allowedHosts: ["Tools.Example.com", "0.0.0.0"] });
    const status = async (host: string) =>
      (
        await exchange(server.port, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      ).slice(9, 12);
    expect(await status("tools.example.com")).toBe("200");
    expect(await status("localhost")).toBe("200");
    expect(await status("0.0.0.0")).toBe("403");
    expect(await status("other.example.com")).toBe("403");
  });
});

describe("a server", () => {
  test("shows its own version, or the one that it is given", async () => {
    const manifest = await readFile(fileURLToPath(new URL("../package.json", import.meta.url)), "utf8");
    const { version } = JSON.parse(manifest) as { version: string };
    const shown = async (options: object) =>
      (await (await serve(createWorld().host, options)).ask("GET", "/api/v1/hosts")).body["version"];
    expect([await shown({}), await shown({ version: "9.9.9" })]).toEqual([version, "9.9.9"]);
  });

  test("keeps an idle connection for 65 seconds", async () => {
    const { server } = await serve(createWorld().host);
    const answer = await fetch(`${server.url}/healthz`);
    expect(answer.headers.get("keep-alive")).toBe("timeout=65");
  });

  test("has limits of headers, of bodies, and of the time of a request", async () => {
    const limits = { headerBytes: 2_000, bodyBytes: 20, requestMs: 60 };
    const { server, ask, tokens } = await serve(createWorld().host, { limits });
    const head = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: ${"x".repeat(2_000)}\r\n\r\n`;
    expect(await exchange(server.port, head)).toMatch(/^HTTP\/1\.1 431 /);
    const path = "/api/v1/hosts/default/calls";
    expect(await ask("POST", path, { body: { tool: "echo", id: "longer" } })).toMatchObject({
      status: 413,
      body: { code: "BODY_TOO_LARGE", details: { maxBytes: 20 } },
    });
    expect((await ask("POST", path, { body: { tool: "echo" } })).status).toBe(200);
    const late = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tokens.caller}\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{`;
    expect(await exchange(server.port, late)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("takes 120 decisions of a token in a minute", async () => {
    const { ask } = await serve(createWorld().host);
    const decide = () =>
      ask("POST", "/api/v1/hosts/default/approvals/none/decision", { body: { decision: "deny" } });
    for (let count = 0; count < 120; count++) expect((await decide()).status).toBe(404);
    expect(await decide()).toMatchObject({ status: 429, body: { code: "RATE_LIMITED" } });
  });

  test("closes once, and leaves its hosts open", async () => {
    const { host } = createWorld();
    const { server } = await serve(host);
    expect(server.close()).toBe(server.close({ graceMs: 5 }));
    await server.close();
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow(
      expect.objectContaining({ message: "fetch failed" }),
    );
    expect((await host.call({ name: "echo" })).status).toBe("ok");
  });

  test("refuses a token that is not one of its own", async () => {
    const { server } = await serve(createWorld().host);
    const headers = { authorization: `Bearer ${createToken()}` };
    expect((await fetch(`${server.url}/api/v1/hosts`, { headers })).status).toBe(401);
  });
});
