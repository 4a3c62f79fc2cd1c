import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const run = promisify(execFile);
const marker = "touch ran-a-script";

/** A folder of files. */
interface Pathed {
  path(name: string): string;
}

/** The source of a module that mounts one tool. */
function moduleSource(name: string): string {
  return `import { z } from "zod";
const schema = z.strictObject({});
export function mount(coordinator) {
  const rights = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
  const execute = () => ({ data: null });
  coordinator.mount("tools", { name: "${name}", description: "Answers. Use in tests.", schema, ...rights, execute });
}
`;
}

/** The files of a package in `folder`, whose install scripts would leave a file behind. */
export function packageFiles(folder: string, name: string, version: string): Record<string, string> {
  const scripts = { preinstall: marker, install: marker, postinstall: marker, prepare: marker };
  const json = {
    name,
    version,
    type: "module",
    exports: "./index.js",
    scripts,
    peerDependencies: { "@toolmount/core": "*" },
  };
  return {
    [`${folder}/package.json`]: JSON.stringify(json),
    [`${folder}/index.js`]: moduleSource(`tool_${version.replaceAll(".", "_")}`),
  };
}

/** A registry on loopback with the packages of these folders; counts what is asked of it. */
export async function startRegistry(space: Pathed, folders: readonly string[]) {
  const tarballs = new Map<string, Buffer>();
  const versions: Record<string, Record<string, object>> = {};
  let asked = 0;
  const tokens = new Set<string | undefined>();
  const server = createServer((request, response) => {
    asked++;
    tokens.add(request.headers.authorization);
    const path = decodeURIComponent(new URL(request.url ?? "", "http://x").pathname).slice(1);
    const tarball = tarballs.get(basename(path));
    const list = versions[path];
    if (tarball !== undefined) response.end(tarball);
    else if (list === undefined) response.writeHead(404).end("{}");
    else {
      const latest = Object.keys(list).at(-1);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name: path, "dist-tags": { latest }, versions: list }));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const add = async (folder: string) => {
    const json = JSON.parse(await readFile(space.path(`${folder}/package.json`), "utf8")) as {
      name: string;
      version: string;
    };
    const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--loglevel=silent"], {
      cwd: space.path(folder),
    });
    const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
    const file = await readFile(space.path(`${folder}/${packed!.filename}`));
    tarballs.set(`${folder}.tgz`, file);
    const integrity = `sha512-${createHash("sha512").update(file).digest("base64")}`;
    (versions[json.name] ??= {})[json.version] = {
      ...json,
      dist: { tarball: `${url}t/${folder}.tgz`, integrity },
    };
  };
  for (const folder of folders) await add(folder);
  /** Packs another version. */
  const publish = async (folder: string, name: string, version: string) => {
    await mkdir(space.path(folder), { recursive: true });
    for (const [path, text] of Object.entries(packageFiles(folder, name, version)))
      await writeFile(space.path(path), text);
    await add(folder);
  };
  return { url, close, publish, asked: () => asked, tokens };
}
