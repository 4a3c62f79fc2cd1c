import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import * as policy from "@toolmount/policy";
import type { Section } from "@toolmount/sandbox";
import { describe, expect, onTestFinished, test } from "vitest";
import { plants, sends, stays } from "./attacks.ts";
import { differing, exactly } from "./looks.ts";

const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

const bash = join(import.meta.dirname, "../../tools/bash");
const plan = `version: 1\nlayer: ./\ntools:\n  - { module: bash, source: "file:${bash}" }\n`;

/** A repository of a person, with a folder beside it, and a host of its plan. */
async function world(before = "true") {
  const parent = realpathSync(mkdtempSync("/var/tmp/toolmount-attack-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const [folder, outside] = [join(parent, "project"), join(parent, "outside")];
  for (const each of [folder, outside]) mkdirSync(each);
  const out = join(outside, "ran");
  const env = {
    PATH: process.env["PATH"],
    HOME: outside,
    OUT: out,
    O: outside,
    npm_config_cache: join(parent, "npm"),
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  const person = (script: string) =>
    spawnSync("/bin/bash", ["-c", script], { cwd: folder, env, timeout: 60_000 });
  person(
    `git init -q -b main .; echo a > a; echo .toolmount > .gitignore; git add -A; git commit -q -m one; ${before}`,
  );
  rmSync(out, { force: true });
  writeFileSync(join(folder, "mount-plan.yaml"), plan);
  const host = await openHost(join(folder, "mount-plan.yaml"), {
    logger: silentLogger,
    store: createMemoryStore(),
    extensions: { "@toolmount/policy": policy, "@toolmount/workers": () => import("@toolmount/workers") },
  });
  onTestFinished(async () => void (await host.close()));
  const call = async (command: string) => {
    const script = `export O='${outside}' GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n${command}`;
    const { status, result } = await host.call(
      { name: "bash", arguments: { command: script, timeout: 60 } },
      { sessionId: "s" },
    );
    return {
      status,
      ...(result.data as { returncode?: number; stdout?: string; stderr?: string }),
      error: result.error,
    };
  };
  const keep = async (sections: readonly Section[]) => {
    const layer = await host.coordinator.getCapability("host.layers")!.of("s");
    const difference = await layer.difference();
    const result = await layer.keep({ digest: difference.digest, sections });
    return { difference, status: result.status };
  };
  return { folder, outside, out, person, call, keep };
}

describe.runIf(hasLayer)("a shell in a layer", () => {
  test(`sends nothing in ${Object.keys(sends).length} ways, and is not asked about`, async () => {
    const { outside, call, folder } = await world();
    let reached = 0;
    const listen = async (server: Server, at: string | number) => {
      server.on("connection", (socket) => void ((reached += 1), socket.destroy()));
      await new Promise<void>(
        (resolve) =>
          void (typeof at === "string"
            ? server.listen(at, resolve)
            : server.listen(at, "127.0.0.1", resolve)),
      );
      onTestFinished(() => void server.close());
      return server.address();
    };
    const { port } = (await listen(createServer(), 0)) as AddressInfo;
    await listen(createServer(), join(outside, "s.sock"));
    await listen(createServer(), "\0toolmount-attack");
    const udp = createSocket("udp4");
    udp.on("message", () => void (reached += 1));
    await new Promise<void>((resolve) => void udp.bind(0, "127.0.0.1", resolve));
    onTestFinished(() => void udp.close());
    writeFileSync(join(folder, "secret.txt"), "secret\n");
    const before = exactly(outside);
    const wrong: string[] = [];
    for (const [name, command] of Object.entries(sends)) {
      const { status, returncode, stdout, stderr, error } = await call(
        `PORT=${port} UDP=${udp.address().port}\n${command}`,
      );
      if (status !== "ok" || returncode === 0)
        wrong.push(`${name}: ${status} ${returncode} ${stdout} ${stderr} ${error}`);
      if (reached > 0) wrong.push(`${name} reached a service`);
      reached = 0;
    }
    expect([...wrong, ...differing(before, exactly(outside))]).toEqual([]);
  });

  test("leaves nothing outside of the project", async () => {
    const { outside, call } = await world();
    const home = exactly(outside);
    for (const command of stays) {
      const { status, returncode } = await call(`export HOME='${outside}'\n${command}`);
      expect([command, status, returncode === 0]).toEqual([command, "ok", false]);
    }
    expect(differing(home, exactly(outside))).toEqual([]);
  });

  test.each(Object.entries(plants))(
    "leaves %s for the next program only for a yes of its own",
    { timeout: 600_000 },
    async (_, { plant, next, before }) => {
      const { folder, out, call, keep, person } = await world(before);
      const start = exactly(folder);
      const planted = await call(`OUT='${out}'\n${plant}`);
      expect(planted, JSON.stringify(planted)).toMatchObject({ status: "ok", returncode: 0 });
      expect(differing(start, exactly(folder))).toEqual([]);
      const { difference } = await keep(["files", "deletions", "repository"]);
      if (next === undefined) {
        const harmless = ["evil", "evil/x", "packages", "packages/x", ".config"];
        const unasked = difference.changes.filter(
          ({ section, path }) => section === "files" && !harmless.includes(path),
        );
        expect(unasked.map(({ path }) => path)).toEqual([]);
      } else {
        person(next);
        expect(existsSync(out)).toBe(false);
        await keep(["obeyed"]);
        person(next);
        expect(existsSync(out), "it is obeyed once it is kept").toBe(true);
      }
    },
  );
});
