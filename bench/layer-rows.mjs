// What a layer costs: to start a program in it, to see what it changed, and to ask git.
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLayer, runInSandbox } from "@toolmount/sandbox";

const env = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };

/** Layers and bubblewrap need user namespaces. */
const hasLayer =
  process.platform === "linux" &&
  ["unshare --user --map-root-user --mount true", "bwrap --ro-bind / / true"].every((words) => {
    const [file, ...args] = words.split(" ");
    return spawnSync(file, args).status === 0;
  });

/** A folder with so many small files of code, and a layer of it. */
async function world(files) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-bench-layer-")));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (let at = 0; at < files; at++) {
    const place = join(folder, `package${at % 50}/module${at % 19}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `file${at}.ts`), `export const name${at} = ${at};\n`);
  }
  const layer = await openLayer({ folder, name: "bench", env, obeyed: ["**/.git", "**/package.json"] });
  if ("problem" in layer) throw new Error(layer.problem);
  const inLayer = async (file, args) => {
    const { launch } = await layer.enter({ file, args, env, filter: undefined });
    return run(launch);
  };
  return { folder, layer, inLayer };
}

async function run(launch) {
  const { code, stderr } = await runInSandbox(launch, { cwd: "/", timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`${launch.file} ended with ${code}: ${stderr}`);
}

/** `true` by the tool `bash`, in a layer and without one: behind the wall both times. */
async function entering() {
  const { folder, layer } = await world(1_000);
  await layer.close();
  const { openHost } = await import("@toolmount/loader");
  const source = `"file:${join(import.meta.dirname, "../tools/bash")}"`;
  const config = "config: { require_approval: false, safety_profile: permissive }";
  const open = (name, head) => {
    writeFileSync(
      join(folder, name),
      `version: 1\n${head}tools:\n  - { module: bash, source: ${source}, ${config} }\n`,
    );
    const extensions = { "@toolmount/workers": () => import("@toolmount/workers") };
    return openHost(join(folder, name), { logger: silent, extensions });
  };
  const hosts = [await open("plain.yaml", ""), await open("layer.yaml", "layer: ./\n")];
  const call = (host) => async () => {
    const { result } = await host.call({ name: "bash", arguments: { command: "true" } }, { sessionId: "s" });
    if (result.data?.returncode !== 0) throw new Error(result.error ?? "true failed");
  };
  const [floor, row] = hosts.map(call);
  return { floor, row };
}

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/** Every file is changed; the floor looks at each of them twice, as one must who compares. */
async function comparing() {
  const { folder, layer, inLayer } = await world(50_000);
  const change = "find package* -name '*.ts' -print0 | xargs -0 perl -pi -e 's/$/ changed/'";
  await inLayer("/bin/bash", ["-c", change]);
  const { folder: view } = await layer.renew();
  const look = (at) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      lstatSync(path, { bigint: true });
      if (entry.isDirectory() && entry.name !== ".toolmount") look(path);
    }
  };
  return {
    floor: () => [folder, view].forEach(look),
    async row() {
      const { changes } = await layer.difference();
      if (changes.length !== 50_000) throw new Error(`${changes.length} changes`);
    },
  };
}

/** `git status` of 50,000 files, in a layer and without one. */
async function status() {
  const { folder, inLayer } = await world(50_000);
  const git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", folder];
  // Git packs so many objects in the background, which would be a change of the person at each row.
  const commit =
    "git init -q; git config gc.auto 0; git add package*; git -c user.name=a -c user.email=a@b commit -q -m one";
  if (spawnSync("bash", ["-c", commit], { cwd: folder, env }).status !== 0) throw new Error("no commit");
  const words = [...git.slice(1), "status", "--porcelain"];
  // The first one in the layer writes the index, with the numbers of the files there.
  await inLayer("git", words);
  return {
    floor: () => run({ file: "git", args: words, env, filter: undefined }),
    row: () => inLayer("git", words),
  };
}

/** @type {Record<string, object>} */
export const layerRows = hasLayer
  ? {
      entering: {
        title: "A command in a layer, beside the wall alone",
        make: entering,
        goal: 1.25,
        gate: 1.6,
      },
      comparing: {
        title: "The difference of 50,000 files, beside a look at them",
        make: comparing,
        pairs: 7,
        warmUp: 1,
        goal: 1.5,
        gate: 2.5,
      },
      status: {
        title: "git status of 50,000 files in a layer, beside none",
        make: status,
        pairs: 9,
        warmUp: 2,
        goal: 1.3,
        gate: 2,
      },
    }
  : {};
