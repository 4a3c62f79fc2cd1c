import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
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
async function project() {
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
  return { folder, outside, host, call };
}

describe.runIf(hasLayer)("code that a command changed in a layer", () => {
  test.each(["a_own", "b_own"])("does not run with the rights of the host, as %s", async (name) => {
    const { folder, outside, host, call } = await project();
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

  test("of programs is run behind the wall only", async () => {
    const { folder, outside, host, call } = await project();
    const bin = join(folder, "node_modules/.bin");
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
    mkdirSync(bin);
    writeFileSync(join(bin, "own-program"), "#!/bin/sh\necho of the person\n");
    chmodSync(join(bin, "own-program"), 0o755);
    const names = "bwrap cp grep sleep setpriv unshare nsenter env node rg own-program";
    const command = `cd node_modules/.bin; for n in ${names}; do printf '#!/bin/sh\n/usr/bin/touch ${outside}/'$n'\necho planted\n' > $n; chmod 755 $n; done; echo done`;
    expect(await call("bash", { command })).toMatchObject({ stdout: "done\n" });
    writeFileSync(join(folder, "theirs"), "new");
    expect(await call("bash", { command: "own-program 2>/dev/null" })).toMatchObject({ stdout: "planted\n" });
    expect(await call("bash", { command: "command sleep 600", run_in_background: true })).toHaveProperty(
      "id",
    );
    await call("a_own");
    await host.close();
    expect(readdirSync(outside)).toEqual([]);
  });
});
