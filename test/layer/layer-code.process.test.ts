import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import * as policy from "@toolmount/policy";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

const bash = join(import.meta.dirname, "../../tools/bash");

const tool = (says: string, first = "") => `${first}
export function mount(coordinator) {
  coordinator.mount("tools", {
    name: "own",
    description: "Says a word. Use in tests.",
    schema: { type: "object", properties: {} },
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    timeout: 60000,
    execute: async () => ({ data: "${says}" }),
  });
}
`;

/** A project with a tool in its own folder and one that is installed there, both in the layer. */
async function folders(name = "project") {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-code-")));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, name);
  const outside = join(parent, "outside");
  const installed = join(folder, "node_modules/installed");
  mkdirSync(installed, { recursive: true });
  mkdirSync(outside);
  const manifest = { name: "installed", version: "1.0.0", type: "module", exports: "./index.js" };
  writeFileSync(join(installed, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(installed, "index.js"), tool("before"));
  writeFileSync(join(folder, "local.mjs"), tool("before"));
  const entries = [
    `  - { module: bash, source: "file:${bash}" }`,
    "  - { module: 'npm:installed', prefix: a_, run: { in: layer } }",
    "  - { module: ./local.mjs, prefix: b_, run: { in: layer } }",
  ];
  writeFileSync(join(folder, "mount-plan.yaml"), `version: 1\nlayer: ./\ntools:\n${entries.join("\n")}\n`);
  symlinkSync(folder, join(parent, "link"));
  const open = (at = folder) => openProject(at);
  return { folder, outside, parent, open };
}

async function openProject(folder: string) {
  const host = await openHost(join(folder, "mount-plan.yaml"), {
    logger: silentLogger,
    store: createMemoryStore(),
    extensions: {
      "@toolmount/policy": policy,
      "@toolmount/interop": () => import("@toolmount/interop"),
      "@toolmount/workers": () => import("@toolmount/workers"),
    },
  });
  onTestFinished(async () => void (await host.close()));
  const call = async (name: string, given: object = {}) => {
    const { result } = await host.call({ name, arguments: { ...given } }, { sessionId: "s" });
    return result.error ?? result.data;
  };
  return { host, call };
}

describe.runIf(hasLayer)("code that a command changed in a layer", () => {
  test.each([
    ["a_own", "project"],
    ["b_own", "project"],
    ["a_own", "my project"],
    ["b_own", "link"],
  ])("does not run with the rights of the host, as %s in %s", async (name, way) => {
    const { folder, outside, parent, open } = await folders(way === "link" ? "project" : way);
    const { host, call } = await open(join(parent, way));
    expect(await call(name)).toBe("before");
    const planted = tool(
      "after",
      `await (await import("node:fs")).promises.writeFile("${outside}/planted", "x");`,
    );
    writeFileSync(join(folder, "planted.txt"), planted);
    const command =
      "cat planted.txt > node_modules/installed/index.js; cat planted.txt > local.mjs; echo done";
    expect(await call("bash", { command })).toMatchObject({ stdout: "done\n" });
    // The view is mounted again, with processes of its own.
    writeFileSync(join(folder, "theirs"), "new");
    expect(await call(name)).toBe("before");
    expect(existsSync(join(outside, "planted"))).toBe(false);
    const layer = await host.coordinator.getCapability("host.layers")!.of("s");
    const { changes } = await layer.difference();
    expect(changes.map(({ path, section }) => [path, section])).toEqual([
      ["local.mjs", "obeyed"],
      ["node_modules/installed/index.js", "obeyed"],
    ]);
  });

  test.each([
    ["--require ./hook.cjs", "hook.cjs"],
    ["--require ../project/hook.cjs", "hook.cjs"],
    ["--require=FOLDER/hook.cjs", "hook.cjs"],
    ["--require LINK/hook.cjs", "hook.cjs"],
    ["--import file://FOLDER/hook.mjs", "hook.mjs"],
    ["--import ./hook.mjs", "hook.mjs"],
    ["--require installed-hook", "node_modules/installed-hook/index.js"],
    ["--require on-node-path", "on-node-path.js"],
  ])("is not run by the host's NODE_OPTIONS %s", async (given, hook) => {
    const { folder, outside, parent, open } = await folders();
    mkdirSync(join(folder, "node_modules/installed-hook"));
    writeFileSync(join(folder, hook), "");
    vi.stubEnv("NODE_OPTIONS", given.replace("FOLDER", folder).replace("LINK", join(parent, "link")));
    vi.stubEnv("NODE_PATH", given.includes("node-path") ? folder : undefined);
    const cwd = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(cwd));
    const { host, call } = await open();
    expect(await call("b_own")).toBe("before");
    writeFileSync(
      join(folder, "planted.txt"),
      `process.getBuiltinModule("fs").writeFileSync("${outside}/planted", "")`,
    );
    const done = await call("bash", { command: `cat planted.txt > ${hook}; node -e 0; echo done` });
    expect(done).toMatchObject({ stdout: "done\n" });
    writeFileSync(join(folder, "theirs"), "new");
    expect(await call("b_own")).toBe("before");
    expect(await call("bash", { command: "pwd; ls theirs" })).toMatchObject({
      stdout: `${folder}\ntheirs\n`,
    });
    await host.close();
    expect(readdirSync(outside)).toEqual([]);
  });

  test.each(["project", "link", ".", "root"])(
    "of programs is run behind the wall only, by a PATH in %s",
    async (way) => {
      const { folder, outside, parent, open } = await folders();
      const bin = way === "root" ? folder : join(folder, "node_modules/.bin");
      const linked = { ".": "./node_modules/.bin", link: join(parent, "link/node_modules/.bin") };
      vi.stubEnv("PATH", `${linked[way as "link"] ?? bin}:${process.env["PATH"]}`);
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, "own-program"), "#!/bin/sh\necho of the person\n");
      chmodSync(join(bin, "own-program"), 0o755);
      const { host, call } = await open();
      const names = "bwrap cat cp env grep mkdir mount node nsenter rg setpriv sh sleep unshare own-program";
      const plant = `printf '#!/bin/sh\n/usr/bin/touch ${outside}/'$n'\necho planted\n' > $n; /bin/chmod 755 $n`;
      const command = `cd ${bin}; for n in ${names}; do ${plant}; done; echo done`;
      expect(await call("bash", { command })).toMatchObject({ stdout: "done\n" });
      // The view is mounted again, with processes of its own.
      writeFileSync(join(folder, "theirs"), "new");
      const ran = await call("bash", { command: "own-program 2>/dev/null || echo none" });
      expect(ran).toMatchObject({ stdout: way === "." ? "none\n" : "planted\n" });
      const later = await call("bash", { command: "command /bin/sleep 600", run_in_background: true });
      expect(later).toHaveProperty("id");
      await call("a_own");
      await host.close();
      expect(readdirSync(outside)).toEqual([]);
    },
  );
});
