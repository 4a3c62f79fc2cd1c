import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { callInternal } from "@toolmount/core/internal";
import { openHost } from "@toolmount/loader";
import * as policy from "@toolmount/policy";
import { describe, expect, onTestFinished, test } from "vitest";
import { asRead, differing } from "./looks.ts";

const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

const bash = join(import.meta.dirname, "../../tools/bash");

async function project() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-reload-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const plan = join(folder, "mount-plan.yaml");
  writeFileSync(plan, `version: 1\nlayer: ./\ntools:\n  - { module: bash, source: "file:${bash}" }\n`);
  spawnSync("bash", ["-c", "for i in $(seq 400); do echo $i > f$i; done"], { cwd: folder });
  const open = async () => {
    const host = await openHost(plan, {
      logger: silentLogger,
      store: createMemoryStore(),
      extensions: { "@toolmount/policy": policy, "@toolmount/workers": () => import("@toolmount/workers") },
    });
    onTestFinished(async () => void (await host.close()));
    const call = (command: string) => host.call({ name: "bash", arguments: { command } }, { sessionId: "s" });
    const layer = await host.coordinator.getCapability("host.layers")!.of("s");
    const keep = async () => {
      const given = { digest: (await layer.difference()).digest, sections: ["files", "deletions"] };
      return callInternal(host.session("s"), { name: "keep_changes", arguments: given });
    };
    return { host, call, layer, keep };
  };
  return { folder, plan, ...(await open()), open };
}

const work = "for i in $(seq 1 2 400); do echo more >> f$i; done; rm f2 f4; mkdir d; echo d > d/d; echo done";

describe.runIf(hasLayer)("a keep", () => {
  test("goes through while the plan is reloaded, and the next command sees what was kept", async () => {
    const { folder, plan, host, call, keep } = await project();
    expect((await call(work)).result.data).toMatchObject({ stdout: "done\n" });
    const keeping = keep();
    writeFileSync(plan, `${readFileSync(plan, "utf8")}policy: { deny: [glob] }\n`);
    await host.reload();
    expect((await keeping).result).toMatchObject({ data: { kept: 204 } });
    expect(readFileSync(join(folder, "f1"), "utf8")).toBe("1\nmore\n");
    expect((await call("cat f399 d/d; ls f2")).result.data).toMatchObject({ stdout: "399\nmore\nd\n" });
  });

  test("is whole or nothing when the host closes meanwhile", async () => {
    const { folder, host, call, layer, keep, open } = await project();
    const before = asRead(folder);
    await call(work);
    const after = asRead((await layer.renew()).folder);
    const keeping = keep().catch((error: unknown) => error);
    await host.close();
    await keeping;
    const now = asRead(folder);
    const isBefore = differing(now, before).length === 0;
    expect(isBefore ? [] : differing(now, after)).toEqual([]);
    const next = await open();
    expect((await next.call("cat f1 d/d")).result.data).toMatchObject({ stdout: "1\nmore\nd\n" });
  });
});
