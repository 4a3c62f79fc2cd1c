import { once } from "node:events";
import { chmod, readFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { OpenedHost } from "@toolmount/loader";
import { expect, onTestFinished, test } from "vitest";
import { folderOf, mark, open, planOf, processesWith, until } from "./support/world.ts";

const server = join(import.meta.dirname, "fixtures/peek-server.mjs");

/** An entry whose server runs behind bubblewrap and can read its own file. */
const behind = (grants: { read?: string[]; write?: string[]; network?: string; env?: object } = {}) => ({
  command: process.execPath,
  args: [server],
  border: "bubblewrap",
  ...grants,
  read: [server, ...(grants.read ?? [])],
});

async function peek(host: OpenedHost, act: string, value = ""): Promise<unknown> {
  const { result } = await host.call({ name: "peek", arguments: { act, value } });
  return JSON.parse(typeof result.data === "string" ? result.data : JSON.stringify(result));
}

async function listener(): Promise<string> {
  const listening = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(listening, "listening");
  onTestFinished(() => void listening.close());
  return String((listening.address() as AddressInfo).port);
}

test("a server over stdio behind bubblewrap reads and writes only what is granted, and has no network", async () => {
  const folder = await folderOf({ "secret.txt": "secret", "granted.txt": "granted" });
  const [secret, granted, out] = ["secret.txt", "granted.txt", "out.txt"].map((name) => join(folder, name));
  const outside = await folderOf();
  const host = await open(planOf(behind({ read: [granted!] })));

  expect(await peek(host, "read", granted)).toEqual({ got: "granted" });
  expect(await peek(host, "read", secret)).toEqual({ refused: "ENOENT" });
  expect(await peek(host, "write", granted)).toEqual({ refused: "EROFS" });
  await peek(host, "write", out);
  await expect(readFile(out!)).rejects.toThrow("ENOENT");
  await peek(host, "write", join(outside, "out.txt"));
  await expect(readFile(join(outside, "out.txt"))).rejects.toThrow("ENOENT");
  expect(await peek(host, "connect", await listener())).toEqual({ refused: "ECONNREFUSED" });
  expect(await peek(host, "processes")).toEqual({ got: expect.toSatisfy((count: number) => count <= 2) });
  expect((await peek(host, "environment")) as object).toEqual({
    got: expect.not.arrayContaining(["VITEST", "TOOLMOUNT_TEST_BUILT"]),
  });
});

test("grants are relative to the plan, and network: any opens the network", async () => {
  const folder = await folderOf({ "granted.txt": "granted" });
  const source = behind({ read: ["granted.txt"], write: ["."], network: "any" });
  const host = await open(planOf(source), { cwd: folder });

  expect(await peek(host, "read", join(folder, "granted.txt"))).toEqual({ got: "granted" });
  expect(await peek(host, "write", join(folder, "out.txt"))).toEqual({ got: "written" });
  expect(await readFile(join(folder, "out.txt"), "utf8")).toBe("written");
  expect(await peek(host, "connect", await listener())).toEqual({ got: "connected" });
});

test("without a border the same server reaches all of this", async () => {
  const folder = await folderOf({ "secret.txt": "secret" });
  const host = await open(planOf({ command: process.execPath, args: [server] }));

  expect(await peek(host, "read", join(folder, "secret.txt"))).toEqual({ got: "secret" });
  expect(await peek(host, "connect", await listener())).toEqual({ got: "connected" });
});

test("nothing of a server behind bubblewrap is left when the host closes", async () => {
  const { env, word } = mark();
  const host = await open(planOf(behind({ env })));
  await peek(host, "environment");
  expect(processesWith(word).length).toBeGreaterThan(0);
  await host.close();
  await until(() => processesWith(word).length === 0);
});

test("where bubblewrap is missing or does not work, the plan does not open, and no server is started", async () => {
  const { env, word } = mark();
  const path = (folder: string) => ({ ...behind(), env: { ...env, PATH: folder } });
  const empty = await folderOf();
  await expect(open(planOf(path(empty)))).rejects.toMatchObject({
    details: { problems: [expect.objectContaining({ code: "SANDBOX_UNAVAILABLE" })] },
  });

  const broken = await folderOf({ bwrap: "#!/bin/sh\necho no user namespaces >&2\nexit 1\n" });
  await chmod(join(broken, "bwrap"), 0o755);
  await expect(open(planOf(path(broken)))).rejects.toMatchObject({
    details: {
      problems: [
        expect.objectContaining({
          code: "SANDBOX_UNAVAILABLE",
          message: expect.stringContaining("no user namespaces"),
        }),
      ],
    },
  });
  expect(processesWith(word)).toEqual([]);
});

test("a border without a command, and grants without a border, are refused", async () => {
  const url = { url: "https://mcp.example.com/", border: "bubblewrap" };
  await expect(open(planOf(url))).rejects.toThrow(/a border is for an MCP server with a command/);
  const grants = { command: "node", read: [dirname(server)] };
  await expect(open(planOf(grants))).rejects.toThrow(/add border: bubblewrap/);
});
