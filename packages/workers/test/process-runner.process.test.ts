import { silentLogger, type RunnerControl, type RunnerModule } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Border, NodeProgram } from "@toolmount/sandbox";
import { createProcessRunner } from "../src/process/process-runner.ts";
import { control, farSide, job } from "./far-world.ts";

/** It answers a call with its own number and with how its module was mounted. */
const answers = `
  let mount;
  on = (m) => {
    if (m.type === "mount") say({ type: "mounted", keepsState: false });
    if (m.type === "mount") mount = m;
    if (m.type === "run" && m.arguments.a !== "wait")
      say({ type: "returned", runId: m.runId, value: { data: { pid: process.pid, mount, staged: m.staged } } });
  };`;
const pays: RunnerModule = { specifier: import.meta.filename, config: { a: 1 } };

/** A runner whose processes run a script; how they are launched is noted. */
function runner(script = answers, options: object = {}) {
  const launched: { program: NodeProgram; grants: object }[] = [];
  const border: Border = {
    name: "permission",
    launch(program, grants) {
      launched.push({ program, grants });
      return { file: process.execPath, args: ["-e", farSide + script], env: {} };
    },
  };
  const grants = {
    read: [],
    write: [],
    denied: ["/plan.yaml"],
    secret: ["/key"],
    network: undefined,
    memoryMb: undefined,
    env: {},
    cwd: "/tmp",
  };
  const own = createProcessRunner({
    border,
    grants,
    processes: 2,
    startTimeoutMs: 60_000,
    logger: silentLogger,
    ...options,
  });
  onTestFinished(() => own.close());
  const run = (runId: string, of: RunnerModule = pays, more: object = {}, by: RunnerControl = control()) =>
    own.run({ ...job(runId), module: of, ...more }, by);
  const answerOf = async (...given: Parameters<typeof run>) =>
    ((await run(...given)) as { data: { pid: number; mount: object; staged?: string } }).data;
  return { own, run, answerOf, launched };
}

const unavailable = (reason: string) =>
  expect.objectContaining({ code: "UNAVAILABLE", message: `"pay" cannot run now: ${reason}` });

describe("a call in a process of its own", () => {
  test("finds its module mounted with the folder and the secrets of the plan, and nothing granted", async () => {
    const { answerOf, launched, own } = runner();
    const { mount } = await answerOf("a");
    const { secretPaths, ...rest } = mount as { secretPaths: string[] };
    expect(rest).toEqual({
      type: "mount",
      module: pays,
      describe: false,
      grants: { hooks: [], capabilities: [], given: {} },
      folder: "/tmp",
      protectedPaths: ["/plan.yaml"],
    });
    expect(secretPaths).toContain("/key");
    const [{ program, grants }] = launched as [(typeof launched)[number]];
    expect(program.options[0]).toBe("--disable-sigusr1");
    expect(program.file).toMatch(/\/far\/main\.[tj]s$/);
    expect(program.code.length).toBeGreaterThan(0);
    expect((grants as { secret: string[] }).secret).toEqual(secretPaths);
    expect(own.undoes).toBe(true);
  });

  test("uses a process that is there for another call of the same module, and only of the same one", async () => {
    const { answerOf, launched } = runner();
    const first = await answerOf("a");
    expect((await answerOf("b", { ...pays })).pid).toBe(first.pid);
    expect((await answerOf("c", { ...pays, config: { a: 2 } })).pid).not.toBe(first.pid);
    expect((await answerOf("d", { ...pays, exports: ["pay"] })).pid).not.toBe(first.pid);
    expect((await answerOf("e")).pid).toBe(first.pid);
    expect(launched).toHaveLength(3);
  });

  test("of a newer content ends the processes of the older one, and of other modules none", async () => {
    const { answerOf } = runner();
    const other = { ...pays, exports: ["pay"] };
    const pids: number[] = [];
    for (const one of [{ ...pays, revision: "1" }, other]) pids.push((await answerOf("a", one)).pid);
    const isThere = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await answerOf("b", { ...pays, revision: "2" });
    await expect.poll(() => isThere(pids[0]!)).toBe(false);
    expect(isThere(pids[1]!)).toBe(true);
    // A call of before the change has a process of its own, which ends after it.
    const late = (await answerOf("c", { ...pays, revision: "1" })).pid;
    await expect.poll(() => isThere(late)).toBe(false);
  });

  test("that nothing can import does not run, nor one whose process cannot start", async () => {
    const { run, own, launched } = runner();
    expect(() => own.run(job("a"), control())).toThrow(
      unavailable("it was mounted by code of the host, so no other process can import it"),
    );
    expect(launched).toEqual([]);
    await run("a");
    await own.close();
    await expect(run("b")).rejects.toThrow(unavailable("the host is closed"));
    const broken = runner(`console.error("no key"); process.exitCode = 2; socket.destroy();`);
    await expect(broken.run("a")).rejects.toThrow(unavailable("the process ended with exit code 2: no key"));
  });

  test("that is stopped before it has a process does not run, and leaves the process to others", async () => {
    const { run, answerOf, launched } = runner(answers, { processes: 1 });
    const reason = new Error("enough");
    await expect(run("a", pays, {}, control(AbortSignal.abort(reason)))).rejects.toBe(reason);
    await answerOf("b");
    expect(launched).toHaveLength(1);
  });
});

describe("the previews of a rehearsal", () => {
  const instead = { instead: { preview: true } };
  const within = (rehearsal: object) => ({ ...control(), rehearsal }) as RunnerControl;

  test("run in one process, which knows the first of them", async () => {
    const { answerOf } = runner();
    const rehearsal = {};
    const first = await answerOf("a", pays, instead, within(rehearsal));
    const again = await answerOf("b", pays, instead, within(rehearsal));
    expect([first.staged, again.staged, again.pid]).toEqual(["first", "again", first.pid]);
    expect((await answerOf("c", pays, instead, within({}))).staged).toBe("first");
    // A call within a rehearsal that is no preview is an ordinary one.
    expect((await answerOf("d", pays, {}, within(rehearsal))).staged).toBeUndefined();
  });

  test("are lost with their process", async () => {
    const { answerOf, run } = runner();
    const rehearsal = {};
    const { pid } = await answerOf("a", pays, instead, within(rehearsal));
    process.kill(pid, "SIGKILL");
    const lost = unavailable("the process that had what the rehearsal staged has ended; rehearse again");
    await expect
      .poll(() => run("b", pays, instead, within(rehearsal)).catch((error: unknown) => error))
      .toEqual(lost);
  });

  test("that are stopped do not run", async () => {
    const { run } = runner();
    const reason = new Error("enough");
    const stopped = { ...within({}), signal: AbortSignal.abort(reason) };
    await expect(run("a", pays, instead, stopped)).rejects.toBe(reason);
  });
});
