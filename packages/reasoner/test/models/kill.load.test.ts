import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { anthropic, chat, gemini, responses, serveWire } from "../support/wires.ts";

/** One turn over a store on disk, which kills its own process at a step. */
const program = join(import.meta.dirname, "../../../../test/support/turn-process.ts");

/** The packages of the program: their sources, or what `npm test` has built of them, which starts in half of the time. */
const flags = process.env["TOOLMOUNT_TEST_BUILT"] === "1" ? [] : ["-C", "@toolmount/source"];

/** Runs or resumes the turn in a process of its own. Returns what it printed, and how it ended. */
async function runProcess(act: "run" | "resume", words: readonly string[]) {
  const child = spawn(process.execPath, [...flags, program, act, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed, [code, signal]] = await Promise.all([textOf(child.stdout), once(child, "close")]);
  return { steps: printed.trimEnd().split("\n"), end: [code, signal] };
}

// The answer has arrived and is not stored; it is stored; a call was made and its outcome is not stored. Each is two
// processes, so all steps on all wires are killed only where the environment asks; `test/kill-turn.load.test.ts` kills a turn
// through Responses at every step.
const isWhole = process.env["TOOLMOUNT_LOAD"] === "full";
const steps = isWhole ? ["answered", "recorded answer", "acted 1"] : ["acted 1"];
const wires = isWhole ? [responses, chat, anthropic, gemini] : [chat, anthropic, gemini];
const cases = wires.flatMap((wire) => steps.map((step) => ({ wire, step, name: wire.name })));

test.each(cases)(
  'APTIX-22: a turn through $name, killed at "$step", is resumed with its calls and its reasoning',
  async ({ wire, step }) => {
    const folder = await mkdtemp(join(tmpdir(), "toolmount-kill-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [database, effects] = [join(folder, "state.db"), join(folder, "effects.txt")];
    await writeFile(effects, "");
    const sealed = "c2VhbGVk";
    const calls = [1, 2].map((n) => ({ id: `c${n}`, name: "act", arguments: `{"n":${n}}` }));
    const { requests, baseUrl } = await serveWire(wire, (at) =>
      wire.outputs(requests[at]!).length > 0 ? { text: "all done" } : { reasoning: sealed, calls },
    );
    const words = [database, baseUrl, effects];
    const killed = await runProcess("run", [...words, step, wire.model]);
    expect(killed.end).toEqual([null, "SIGKILL"]);
    expect(killed.steps.at(-1)).toContain(step);
    const resumed = await runProcess("resume", [...words, "never", wire.model]);

    expect(resumed).toMatchObject({
      end: [0, null],
      steps: expect.arrayContaining(['result {"status":"done","text":"all done","calls":2}']) as string[],
    });
    expect(JSON.stringify(requests.at(-1))).toContain(sealed);
    const outputs = wire.outputs(requests.at(-1)!);
    expect(outputs.map(([id]) => id)).toEqual(["c1", "c2"]);
    const done = (await readFile(effects, "utf8")).split("\n").filter(Boolean);
    for (const [at, [, output]] of outputs.entries()) {
      const times = done.filter((line) => line === String(at + 1)).length;
      if (output.includes("OUTCOME_UNKNOWN")) expect(times).toBeLessThanOrEqual(1);
      else expect([output.includes(`acted ${at + 1}`), times]).toEqual([true, 1]);
    }
  },
);
