import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process, { getuid, kill } from "node:process";
import { describe, expect, test } from "vitest";
import { findProgram } from "../../src/index.ts";
import { openLayer } from "../../src/layer/layer.ts";
import { env, folderOf, keepAll, look, opened, person, within } from "./layer-world.ts";

const hasNamespaces =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

function open(folder: string, more: object = {}) {
  return openLayer({ folder, name: "s", env, obeyed: [], ...more });
}

const asUser = "setpriv --reuid 65534 --regid 65534 --clear-groups".split(" ");

/** Opens a layer in a process that a shell starts with other rights or mounts, and makes it keep or undo; what it said. */
function elsewhere(folder: string, shell: readonly string[], what = "open"): string {
  const program = join(import.meta.dirname, "layer-process.ts");
  const node = [process.execPath, "--conditions=@toolmount/source", program, what, folder, "", "0"];
  const [file = "", ...words] = [...shell, ...node];
  const { stdout, stderr } = spawnSync(file, words, { env, encoding: "utf8" });
  return `${stdout}${stderr}`.replaceAll(folder, "FOLDER");
}

/** A folder with links to some programs, for a `PATH` that has no others. */
function programs(names: readonly string[]): string {
  const folder = folderOf("true");
  for (const name of names) symlinkSync(findProgram(name, env.PATH)!, join(folder, name));
  return folder;
}

test("a name that could lead out of the folder of layers opens no layer, and makes none", async () => {
  const folder = folderOf("echo a > a");
  expect(await open(folder, { name: "../s" })).toEqual({ problem: '"../s" cannot name a layer' });
  expect(existsSync(join(folder, ".toolmount"))).toBe(false);
});

test("a folder of layers that is elsewhere is refused", async () => {
  const [folder, other] = [folderOf("echo a > a"), folderOf("mkdir -p x/y")];
  symlinkSync(join(other, "x"), join(folder, ".toolmount"));
  const problem = `no layer for ${folder}: its ".toolmount" leads to another folder or file system`;
  expect(await open(folder)).toEqual({ problem });
});

test("a folder in which no layer can have its files is refused", async () => {
  const folder = folderOf("echo a > a; echo file > .toolmount");
  const problem = `no layer for ${folder}: its files cannot be in ${folder}/.toolmount/layers/s: EEXIST`;
  expect(await open(folder)).toEqual({ problem: expect.stringContaining(problem) });
});

test.runIf(getuid!() === 0)("a folder that its user cannot read or write is refused, with the reason", () => {
  const problemOf = (script: string) => elsewhere(folderOf(`chmod 755 .; ${script}`), asUser);
  const own = "chown -R 65534:65534 .";
  expect(problemOf("true")).toContain(
    "no layer for FOLDER: its files cannot be in FOLDER/.toolmount/layers/s: EACCES",
  );
  expect(problemOf(`mkdir shut; chmod 0 shut; ${own}`)).toContain(
    'no layer for FOLDER: "shut" cannot be read',
  );
  expect(problemOf(`${own}; echo s > secret; chmod 600 secret`)).toContain(
    "the folder cannot be copied: cp: cannot open 'secret' for reading",
  );
});

describe.runIf(hasNamespaces)("a folder with a mount in it", () => {
  test.each(["dep", "d e p/q"])("is refused, and the mount is named: %s", (name) => {
    const folder = folderOf(`mkdir -p '${name}' other; echo a > other/a`);
    const script = `mount --bind '${folder}/other' '${folder}/${name}'; exec "$@"`;
    const shell = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
    const problem = `no layer for FOLDER: "${name}" is a mount or a subvolume`;
    expect(elsewhere(folder, shell)).toContain(problem);
  });
});

test.runIf(hasNamespaces)("a machine without user namespaces has no layer, and its setting is named", () => {
  const shell = ["unshare", "--user", "--map-root-user", "sh", "-c"];
  const script = `echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"`;
  expect(elsewhere(folderOf("echo a > a"), [...shell, script, "sh"])).toContain(
    "sudo sysctl -w user.max_user_namespaces=15000 allows them",
  );
});

describe.runIf(getuid!() === 0)("what another user's folder has", () => {
  const tree = `
chmod 755 .; echo a > a; mkdir -p logs/in common; echo l > logs/app; echo s > common/s; chown -R 65534:65534 .
chown -R 0:0 logs common; chmod 777 common
`;
  const changed = `
echo b > b; echo more >> a; echo more >> logs/app; echo n > logs/new; mkdir logs/d; echo i > logs/d/in; rm -r logs/in
echo more >> common/s; echo n > common/new; chmod 700 logs
`;

  test("stays, and the rest is kept whole and undone", async () => {
    const folder = folderOf(tree);
    const before = look(folder);
    const script = [...asUser, "env", `LAYER_SCRIPT=${changed}`];
    expect(elsewhere(folder, script, "run")).toContain('"said":"ran"');
    expect(elsewhere(folder, asUser, "keep")).toContain('"said":"kept"');
    const left = [
      { path: "logs", reason: "it belongs to another user, so what changed in it cannot be kept" },
    ];
    const kept = look(folder);
    const names = Object.keys(kept).filter((path) => kept[path] !== before[path]);
    expect(names.toSorted()).toEqual(["a", "b", "common", "common/new", "common/s"]);
    expect(elsewhere(folder, asUser, "left")).toContain(JSON.stringify(JSON.stringify(left)));
    expect(elsewhere(folder, asUser, "undo")).toContain('"said":"undone"');
    expect(Object.keys(look(folder))).toEqual(Object.keys(before));
  });
});

test("without the programs that mount there is no layer, and the answer names their package", async () => {
  const folder = folderOf("echo a > a");
  const path = { env: { PATH: programs(["flock", "cp", "xargs"]) } };
  const missing = "unshare and nsenter are not on PATH; install the package util-linux";
  expect(await open(folder, { ...path, engine: "copy" })).toEqual({
    problem: `no layer for ${folder}: ${missing}`,
  });
  expect(await open(folder, path)).toMatchObject({ problem: expect.stringContaining("install the package") });
  const without = { env: { PATH: programs(["flock", "cp"]) } };
  expect(await open(folder, { ...without, engine: "copy" })).toMatchObject({
    problem: expect.stringContaining("xargs is not on PATH; install the package findutils"),
  });
  expect(await open(folder, { env: { PATH: "/nonexistent" } })).toEqual({
    problem: "flock is not on PATH; install the package util-linux",
  });
});

describe.runIf(hasNamespaces)("a layer", () => {
  test("is no copy of a folder that has too many entries", async () => {
    const folder = folderOf("seq 20001 | xargs touch");
    expect(await open(folder, { engine: "copy" })).toEqual({
      problem: `no layer for ${folder}: a copy is made of at most 20,000 entries or 1 GB, and the folder has more`,
    });
    expect((await opened(folder)).engine).toBe("overlay");
  });

  test.runIf(getuid!() === 0)(
    "of files of another user is a copy, and keeps and gives back their owners",
    async () => {
      const folder = folderOf("echo a > a; echo b > b; chmod 666 a; mkdir d");
      chownSync(join(folder, "b"), 65_534, 65_534);
      expect(await open(folder, { engine: "overlay" })).toEqual({
        problem: `no layer for ${folder}: "b" belongs to another user or group, which an overlay of a user cannot copy`,
      });
      const before = look(folder, { inodes: true });
      const layer = await opened(folder);
      expect(layer.engine).toBe("copy");
      await within(layer, folder, "echo more >> a; rm b; echo new > d/new");
      expect(await keepAll(layer)).toMatchObject({ status: "kept" });
      expect(await layer.undo(layer.keeps()[0]!)).toMatchObject({ status: "undone" });
      expect(look(folder, { inodes: true })).toEqual(before);
      expect(person(folder, "stat -c %u b")).toBe("65534\n");
    },
  );

  test("whose first process was killed is mounted again, with what it had changed", async () => {
    const folder = folderOf("echo a > a");
    const layer = await opened(folder);
    await within(layer, folder, "echo b > b");
    const file = join(folder, ".toolmount/layers/s/holder.json");
    const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number };
    kill(pid, "SIGKILL");
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    expect(await within(layer, folder, "cat a b")).toBe("a\nb\n");
    expect(await keepAll(layer)).toMatchObject({ status: "kept", changes: 1 });
  });

  test("whose first process is killed now shows no entry as deleted", async () => {
    const folder = folderOf("echo a > a; mkdir d; echo b > d/b");
    const layer = await opened(folder);
    for (let times = 0; times < 10; times += 1) {
      await within(
        layer,
        folder,
        `echo ${times} > new; for i in $(seq 50); do sleep 1000 & done > /dev/null 2>&1`,
      );
      const file = join(folder, ".toolmount/layers/s/holder.json");
      const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number };
      kill(pid, "SIGKILL");
      expect((await layer.difference()).changes.map(({ path }) => path)).toEqual(["new"]);
      await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    }
  });

  test("is open in one process at a time, and can do nothing when it is closed", async () => {
    const folder = folderOf("echo a > a");
    const layer = await opened(folder);
    await within(layer, folder, "echo b > b");
    const problem = `no layer for ${folder}: another process has the layer "s" open`;
    expect(await open(folder)).toEqual({ problem, isBusy: true });
    expect(await within(layer, folder, "cat b")).toBe("b\n");
    await layer.close();
    await expect(layer.difference()).rejects.toThrow("is closed");
    expect(await within(await opened(folder), folder, "cat b")).toBe("b\n");
  });

  test("keeps at the same time as another one of its folder without a loss of either", async () => {
    const folder = folderOf("echo a > a; echo b > b; echo both > both");
    const [one, other] = [await opened(folder, { name: "one" }), await opened(folder, { name: "other" })];
    await within(one, folder, "echo one > a; echo one > both");
    await within(other, folder, "echo other > b; echo other > both");
    const results = await Promise.all([keepAll(one), keepAll(other)]);
    const statuses = results.map(({ status }) => status).toSorted();
    expect(statuses).toEqual(["conflicts", "kept"]);
    expect(results.find(({ status }) => status === "conflicts")).toMatchObject({
      conflicts: [{ path: "both" }],
    });
    const winner = results[0].status === "kept" ? "one" : "other";
    expect(person(folder, "cat both a b")).toBe(winner === "one" ? "one\none\nb\n" : "other\na\nother\n");
  });

  test("cannot keep sockets and devices, and says so", async () => {
    const folder = folderOf("echo a > a");
    const layer = await opened(folder);
    const socket = "import socket; socket.socket(socket.AF_UNIX).bind('socket')";
    const node = "require('net').createServer().listen('socket', () => process.exit())";
    await within(layer, folder, `${process.execPath} -e "${node}" || python3 -c "${socket}"; echo b > b`);
    writeFileSync(join(folder, "c"), "c");
    mkdirSync(join(folder, "d"));
    const { changes, left } = await layer.difference();
    expect(changes.map(({ path }) => path)).toEqual(["b"]);
    expect(left).toEqual([{ path: "socket", reason: "a socket cannot be kept" }]);
  });
});
