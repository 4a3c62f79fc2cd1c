import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import * as policy from "@toolmount/policy";
import { openLayer } from "@toolmount/sandbox";
import { describe, expect, onTestFinished, test } from "vitest";
import { asBefore, asRead, differing, exactly } from "./looks.ts";
import { committer, repositories, repositoryOf } from "./repositories.ts";
import { sessions } from "./sessions.ts";

const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

/** Sessions of each engine. */
const count = process.env["TOOLMOUNT_LOAD"] === "full" ? 60 : 6;

/** The first session to play, to repeat one. */
const first = Number(process.env["TOOLMOUNT_FIRST"] ?? 0);

const bash = join(import.meta.dirname, "../../tools/bash");
const env = { ...committer, npm_config_update_notifier: "false" };
const plan = `version: 1
layer: ./
tools:
  - module: bash
    source: "file:${bash}"
    config: { timeout: 300, env: ${JSON.stringify(env)} }
`;

const everything = ["files", "deletions", "obeyed", "repository"] as const;

/** What a command ended with. */
interface Ended {
  readonly command: string;
  readonly code: number | null;
  readonly said: string;
}

async function openProject(folder: string, engine: "overlay" | "copy") {
  for (const name of ["dropped", "kept"]) {
    const layer = await openLayer({ folder, name, env: process.env, engine, obeyed: [] });
    if ("problem" in layer) throw new Error(layer.problem);
    await layer.close();
  }
  const host = await openHost(join(folder, "mount-plan.yaml"), {
    logger: silentLogger,
    store: createMemoryStore(),
    extensions: { "@toolmount/policy": policy, "@toolmount/workers": () => import("@toolmount/workers") },
  });
  let questions = 0;
  const play = async (commands: readonly string[], sessionId: string): Promise<readonly Ended[]> => {
    const ended: Ended[] = [];
    for (const command of commands) {
      const { status, result } = await host.call({ name: "bash", arguments: { command } }, { sessionId });
      if (status === "pending") questions += 1;
      const { returncode, stdout } = (result.data ?? {}) as { returncode?: number; stdout?: string };
      ended.push({ command, code: returncode ?? null, said: stdout ?? result.error ?? "" });
    }
    return ended;
  };
  const layerOf = (session: string) => host.coordinator.getCapability("host.layers")!.of(session);
  return { host, play, layerOf, asked: () => questions };
}

/** The same commands without a layer. */
function playPlain(folder: string, commands: readonly string[]): readonly Ended[] {
  const cache = mkdtempSync(join(tmpdir(), "toolmount-cache-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const caches = { XDG_CACHE_HOME: cache, npm_config_cache: join(cache, "npm"), TMPDIR: cache };
  return commands.map((command) => {
    const words = ["--noprofile", "--norc", "-c", command];
    const { PATH, HOME, LANG } = process.env;
    const options = { cwd: folder, env: { PATH, HOME, LANG, ...env, ...caches } };
    const { status, stdout } = spawnSync("bash", words, { ...options, maxBuffer: 1e9 });
    return { command, code: status, said: stdout.toString() };
  });
}

/** Plays one session three times: dropped, kept and undone, and without a layer. Returns what is wrong. */
async function playSession(at: number, engine: "overlay" | "copy") {
  const names = Object.keys(repositories);
  const kinds = Object.keys(sessions);
  const [repository, kind] = [names[at % names.length]!, kinds[at % kinds.length]!];
  const { folder, remove } = repositoryOf(repositories[repository]!, plan);
  onTestFinished(remove);
  const wrong: string[] = [];
  const expectEqual = (what: string, found: readonly string[]) =>
    wrong.push(...found.slice(0, 8).map((each) => `${at} ${kind} in ${repository}, ${what}: ${each}`));
  const { host, play, layerOf, asked } = await openProject(folder, engine);
  const [before, later] = [exactly(folder), asBefore(folder)];
  // Git writes its index when it is asked, which is no fault of a layer.
  const start = exactly(folder);
  expectEqual("a look", differing(before, start));
  const commands = sessions[kind]!;
  await play(commands, "dropped");
  expectEqual("work", differing(start, exactly(folder)));
  await (await layerOf("dropped")).drop();
  expectEqual("a drop", differing(start, exactly(folder)));
  const inLayer = await play(commands, "kept");
  const layer = await layerOf("kept");
  const { digest, changes } = await layer.difference();
  const result = await layer.keep({ digest, sections: everything });
  if (result.status !== "kept") throw new Error(`${at} ${kind}: ${JSON.stringify(result)}`);
  const kept = asRead(folder);
  const undone = await layer.undo(result.id);
  if (undone.status !== "undone") throw new Error(`${at} ${kind}: ${JSON.stringify(undone)}`);
  expectEqual("an undo", differing(later, asBefore(folder)));
  await host.close();
  const plain = playPlain(folder, commands);
  expectEqual("a keep", differing(kept, asRead(folder)));
  for (const [index, { command, code, said }] of inLayer.entries())
    if (code !== plain[index]!.code || said !== plain[index]!.said)
      wrong.push(
        `${at} ${kind} in ${repository}: ${command}: ${code} ${said} | ${plain[index]!.code} ${plain[index]!.said}`,
      );
  remove();
  return { wrong, questions: asked() / 2, changes: changes.length };
}

describe.runIf(hasLayer).each(["overlay", "copy"] as const)("coding sessions in a layer by %s", (engine) => {
  test(
    `ask at most 0.3 questions and a keep, and end as without a layer, ${count} times`,
    { timeout: 7_200_000 },
    async () => {
      const wrong: string[] = [];
      let [questions, changes] = [0, 0];
      for (let at = first; at < first + count; at += 1) {
        const played = await playSession(at, engine);
        wrong.push(...played.wrong);
        questions += played.questions;
        changes += played.changes;
      }
      process.stdout.write(`${JSON.stringify({ engine, sessions: count, questions, changes })}\n`);
      expect(wrong).toEqual([]);
      expect(questions / count).toBeLessThanOrEqual(0.3);
    },
  );
});
