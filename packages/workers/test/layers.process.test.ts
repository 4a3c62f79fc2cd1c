import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, silentLogger, systemClock, type Clock, type Logger, type Runner } from "@toolmount/core";
import { callInternal } from "@toolmount/core/internal";
import { openLayer } from "@toolmount/sandbox";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLayers } from "../src/layer/open-layers.ts";
import { control, job } from "./far-world.ts";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasLayer =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

/** A clock whose minutes are over when the test says so. */
function restingClock(): Clock & { over(): void } {
  const waiting = new Set<() => void>();
  return {
    ...systemClock,
    setTimer(callback, ms) {
      if (ms !== 60_000) return systemClock.setTimer(callback, ms);
      waiting.add(callback);
      return { cancel: () => void waiting.delete(callback), keepAlive: () => {} };
    },
    over() {
      const due = [...waiting];
      waiting.clear();
      for (const callback of due) callback();
    },
  };
}

function folderOf(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), name)));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The layers of a host over a folder of their own, with a module that counts its calls in its process. */
function layers() {
  const folder = folderOf("toolmount-layers-");
  const warnings: object[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields) => void warnings.push(fields),
    child: () => logger,
  };
  const host = createHost({ logger });
  host.coordinator.registerCapability("session.working_dir", folder);
  const clock = restingClock();
  openLayers(host.coordinator, { name: "layer", in: "layer", folder: ".", startTimeoutMs: 60_000 }, clock);
  onTestFinished(async () => {
    await host.close();
    expect(warnings).toEqual([]);
  });
  const runner = host.coordinator.get("runners", "layer") as Runner;
  const module = { specifier: join(import.meta.dirname, "modules/counter.ts"), config: {} };
  const count = async (runId: string, session: string, more: object = {}) => {
    const given = { ...job(runId), tool: "probe", arguments: { ...more }, module, rootSession: session };
    const { data } = (await runner.run(given, control())) as { data: { count: number } };
    return data.count;
  };
  const openElsewhere = () => openLayer({ folder, name: "s", env: process.env, obeyed: [] });
  return { folder, host, clock, count, openElsewhere };
}

test("a call fails where the folder can have no layer, and the next one tries again", async () => {
  const { folder, count } = layers();
  const elsewhere = folderOf("toolmount-elsewhere-");
  symlinkSync(elsewhere, join(folder, ".toolmount"));
  const failed = { code: "UNAVAILABLE", message: expect.stringMatching(/layer/) };
  await expect(count("a", "s")).rejects.toMatchObject(failed);
  if (!hasLayer) return;
  rmSync(join(folder, ".toolmount"));
  expect(await count("b", "s")).toBe(1);
});

describe.runIf(hasLayer)("the layer of a session", () => {
  test("has one process of a module for its calls, and another session has its own", async () => {
    const { count } = layers();
    expect([await count("a", "s"), await count("b", "s"), await count("c", "other")]).toEqual([1, 2, 1]);
  });

  test("is not kept while a call of the session runs", async () => {
    const { host, count } = layers();
    await count("a", "s");
    const keep = () =>
      callInternal(host.session("s"), {
        name: "keep_changes",
        arguments: { digest: "of nothing", sections: ["files"] },
      });
    const runs = count("b", "s", { act: "later" });
    await expect.poll(async () => (await keep()).result.code).toBe("SESSION_BUSY");
    await runs;
    expect((await keep()).result.code).toBe("DIFFERENCE_CHANGED");
  });

  test("is closed a minute after its last call, and opened again for the next", async () => {
    const { clock, count, host, openElsewhere } = layers();
    await count("a", "s");
    const own = host.coordinator.getCapability("host.layers")!;
    expect(own.isOpen("s")).toBe(true);
    clock.over();
    await expect.poll(() => own.isOpen("s"), { timeout: 20_000 }).toBe(false);
    const elsewhere = await openElsewhere();
    expect(elsewhere).toHaveProperty("engine");
    if ("close" in elsewhere) await elsewhere.close();
    expect(await count("b", "s")).toBe(1);
  });

  test("is left to another process that wants it, when its calls have ended", async () => {
    const { count, openElsewhere, host } = layers();
    await count("a", "s");
    const first = await openElsewhere();
    expect(first).toHaveProperty("engine");
    if ("close" in first) await first.close();
    const runs = count("b", "s", { act: "later" });
    // Before the host has the layer, the other process could be the one that gets it.
    await host.coordinator.getCapability("host.layers")!.of("s");
    await expect.poll(openElsewhere, { timeout: 60_000 }).toHaveProperty("engine");
    expect(await runs).toBe(1);
  });
});
