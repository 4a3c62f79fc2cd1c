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
async function folders() {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-code-")));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, "project");
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
  const open = () => openProject(folder);
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
  test.each(["a_own", "b_own"])("does not run with the rights of the host, as %s", async (name) => {
    const { folder, outside, open } = await folders();
    const { host, call } = await open();
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

  test.each(["project", "link", "."])(
    "of programs is run behind the wall only, by a PATH in %s",
    async (way) => {
      const { folder, outside, parent, open } = await folders();
      symlinkSync(folder, join(parent, "link"));
      const bin = join(folder, "node_modules/.bin");
      const onPath = way === "." ? "./node_modules/.bin" : join(parent, way, "node_modules/.bin");
      vi.stubEnv("PATH", `${onPath}:${process.env["PATH"]}`);
      mkdirSync(bin);
      writeFileSync(join(bin, "own-program"), "#!/bin/sh\necho of the person\n");
      chmodSync(join(bin, "own-program"), 0o755);
      const { host, call } = await open();
      const names = "bwrap cat cp env grep mkdir mount node nsenter rg setpriv sh sleep unshare own-program";
      const plant = `printf '#!/bin/sh\n/usr/bin/touch ${outside}/'$n'\necho planted\n' > $n; /bin/chmod 755 $n`;
      const command = `cd node_modules/.bin; for n in ${names}; do ${plant}; done; echo done`;
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
