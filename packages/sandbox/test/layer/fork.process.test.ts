import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import { folderOf, look, opened, within } from "./layer-world.ts";

const hasNamespaces =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

const paths = ({ changes }: { readonly changes: readonly { readonly path: string }[] }) =>
  changes.map(({ path }) => path);

describe.runIf(hasNamespaces).each(["overlay", "copy"] as const)("a fork of a layer by %s", (engine) => {
  test("begins with its changes, changes neither it nor the folder, and is gone when it is closed", async () => {
    const folder = folderOf(
      "echo one > a; echo two > b; mkdir c; echo three > c/d; ln -s a link; echo five > e",
    );
    const before = look(folder, { inodes: true });
    const layer = await opened(folder, { engine });
    await within(layer, folder, "echo more >> a; rm b; rm -r c; mkdir c; echo new > c/n");
    const waits = await layer.difference();
    const fork = await layer.fork();
    expect((await fork.difference()).changes.map(({ path, kind }) => [path, kind])).toEqual(
      waits.changes.map(({ path, kind }) => [path, kind]),
    );
    expect(await within(fork, folder, "cat a c/n; ls")).toBe("one\nmore\nnew\na\nc\ne\nlink\n");
    await within(fork, folder, "rm a; echo again > b; echo six > f; rm e");
    expect(paths(await fork.difference())).toEqual(["a", "b", "c/d", "c/n", "e", "f"]);
    expect(await layer.difference()).toEqual(waits);
    expect(await within(layer, folder, "cat a; test ! -e f")).toBe("one\nmore\n");
    await fork.close();
    expect(readdirSync(join(folder, ".toolmount/layers")).filter((name) => name.startsWith("fork-"))).toEqual(
      [],
    );
    expect(look(folder, { inodes: true })).toEqual(before);
  });

  test("has no network, and writes nowhere else on the disk", async () => {
    const folder = folderOf("echo one > a");
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const outside = folderOf("true");
    mkdirSync(join(outside, "of another"));
    const fork = await (await opened(folder, { engine })).fork();
    const tried = `echo b > a; (echo x > '${outside}/of another/x') 2>/dev/null && echo WROTE; (echo > /dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo CONNECTED; cat a`;
    expect(await within(fork, folder, tried)).toBe("b\n");
    expect(await within(fork, folder, "ls -A /run | wc -l")).toBe("0\n");
    expect(existsSync(join(outside, "of another/x"))).toBe(false);
    await fork.close();
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("one\n");
  });

  test("of a process that died is removed by the next one", async () => {
    const folder = folderOf("echo one > a");
    const layer = await opened(folder, { engine });
    const left = join(folder, ".toolmount/layers/fork-4194305-left");
    mkdirSync(join(left, "changed"), { recursive: true });
    const fork = await layer.fork();
    expect(existsSync(left)).toBe(false);
    await fork.close();
  });
});
