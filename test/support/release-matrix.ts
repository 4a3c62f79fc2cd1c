import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { exec } from "./exec.ts";
import { npmEnvironment, writeNpmrc, type Published } from "./release.ts";

const root = join(import.meta.dirname, "../..");

/** The package managers, and how each installs packages by name and version. */
const managers = {
  npm: (names: string) => `npm install --no-audit --no-fund ${names}`,
  pnpm: (names: string) => `pnpm add ${names}`,
  yarn: (names: string) => `yarn add ${names}`,
} as const;
type Manager = keyof typeof managers;

// Each pair installs twice. TOOLMOUNT_LOAD=full takes all nine; npm with this Node is what `stranger.load.test.ts` does.
export const isFull = process.env["TOOLMOUNT_LOAD"] === "full";
/** Package managers, each with the Node that it has. */
export const matrix: readonly (readonly [Manager, number])[] = isFull
  ? (["npm", "pnpm", "yarn"] as const).flatMap((manager) =>
      [22, 24, 26].map((node) => [manager, node] as const),
    )
  : [["pnpm", 22]];

const plan = "version: 1\ntools:\n  - module: hello-world\n";

/** Installs a release, calls a tool, and upgrades to another release, with each manager on its Node. */
export async function tryUpgrade(
  url: string,
  first: readonly Published[],
  second: readonly Published[],
): Promise<void> {
  expect(versionOf(second)).not.toBe(versionOf(first));
  const tools = await installTools(url);

  for (const [manager, node] of matrix) {
    const { folder, run } = await stranger(url, join(tools, `node-${node}`), join(tools, "bin"));
    await writeFile(join(folder, "package.json"), '{ "name": "stranger", "type": "module" }');
    await writeFile(join(folder, "mount-plan.yaml"), plan);
    const place = `${manager} on Node ${node}`;

    for (const release of [first, second]) {
      await run(managers[manager](namesOf(release)));
      expect(await run("toolmount --version"), place).toContain(versionOf(release));
      expect(await run(`toolmount call agent_hello_world '{"name":"Ada"}'`), place).toContain("Hello, Ada!");
      expect(await run("toolmount check"), place).toContain("1 module, 1 tool");
    }
    expect(await run("node --version"), place).toMatch(new RegExp(`^v${node}\\.`));
  }
}

function versionOf(release: readonly Published[]): string {
  return release.find(({ name }) => name === "toolmount")!.version;
}

/** The command and one tool, as a person names them on a command line. */
function namesOf(release: readonly Published[]): string {
  return release
    .filter(({ name }) => ["toolmount", "@toolmount/core", "@toolmount/tool-hello-world"].includes(name))
    .map(({ name, version }) => `${name}@${version}`)
    .join(" ");
}

/** Installs what the matrix needs: versions of Node as npm packages, and pnpm and yarn as programs. */
export async function installTools(url: string, pairs: typeof matrix = matrix): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-nodes-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = npmEnvironment(url, folder);
  for (const version of new Set(pairs.map(([, node]) => node))) {
    const home = join(folder, `node-${version}`);
    await mkdir(home);
    await writeFile(join(home, "package.json"), "{}");
    const name = `node-${process.platform}-${process.arch}`;
    await exec("npm", ["install", "--no-audit", "--no-fund", `${name}@${version}`], { cwd: home, env });
    await symlink(join(home, "node_modules", name, "bin"), join(home, "bin"));
  }
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "package.json"), "{}");
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    packageManager: string;
  };
  const packages = { npm: [], pnpm: [packageManager], yarn: ["@yarnpkg/cli-dist@4"] };
  const programs = [...new Set(pairs.flatMap(([manager]) => packages[manager]))];
  await exec("npm", ["install", "--no-audit", "--no-fund", ...programs], { cwd: folder, env });
  return folder;
}

/** An empty folder with a space in its name, and a shell in it that has one version of Node. */
export async function stranger(url: string, node: string, bin: string) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount stranger ")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeNpmrc(folder, url);
  const env = {
    ...npmEnvironment(url, folder),
    // What was published a moment ago is what this test is about.
    npm_config_minimum_release_age: "0",
    pnpm_config_minimum_release_age: "0",
    pnpm_config_registry: url,
    pnpm_config_store_dir: join(folder, ".store"),
    YARN_NPM_REGISTRY_SERVER: url.replace(/\/$/, ""),
    YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
    YARN_NODE_LINKER: "node-modules",
    YARN_ENABLE_TELEMETRY: "0",
    YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
    YARN_NPM_MINIMAL_AGE_GATE: "0",
    YARN_GLOBAL_FOLDER: join(folder, ".yarn-global"),
  };
  const path = [join(folder, "node_modules/.bin"), join(node, "bin"), join(bin, "../node_modules/.bin")].join(
    ":",
  );
  const run = (line: string) =>
    exec("bash", ["-c", `export PATH="${path}:$PATH"; ${line}`], { cwd: folder, env });
  return { folder, run };
}
