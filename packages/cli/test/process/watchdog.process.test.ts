import { join } from "node:path";
import { expect, test } from "vitest";
import { runOnDisk } from "../../../store/test/faulty-disk.ts";
import { command, oneTool, planOf, workspace } from "../support/workspace.ts";

// The command gives the thread seconds before it acts.
const spin = (timeout: number) =>
  oneTool({ name: "spin", body: `for (;;) {}` }).replace("execute:", `timeout: ${timeout},\n      execute:`);

test("a tool that never gives the thread back is ended at its timeout, with the place of its code", async () => {
  const { run } = await workspace({ "mount-plan.yaml": planOf("./spin.ts"), "spin.ts": spin(500) });
  const people = await run(["call", "spin"]);
  const programs = await run(["call", "spin", "--json"]);

  expect([people.code, programs.code]).toEqual([1, 1]);
  expect(people.stderr).toMatch(/TIMED_OUT "spin" .+ it blocks the thread at \/.+\/spin\.ts:\d+:\d+/);
  expect(programs.json()).toMatchObject({
    error: { code: "TIMED_OUT", details: { tool: "spin", timeoutMs: 500 } },
  });
});

test("a tool that blocks the thread for a while leaves no words of a debugger, and the command ends", async () => {
  const body = `const isOver = ((end) => () => Date.now() >= end)(Date.now() + 1_600);
    while (!isOver());
    return data("done");`;
  const { run } = await workspace({
    "mount-plan.yaml": planOf("./busy.ts"),
    "busy.ts": oneTool({ name: "busy", body }),
  });

  for (let round = 0; round < 3; round++)
    expect(await run(["call", "busy", "--json"])).toMatchObject({
      code: 0,
      // On a busy machine it takes so long that the command says what blocks it.
      stderr: expect.stringMatching(/^(toolmount: "busy" blocks the thread.*\n)?$/) as string,
    });
});

test("of the calls that run, the one whose timeout ends first is ended", async () => {
  const body = `await context.call({ name: "quick", arguments: {} });
    return data(await context.call({ name: "spin", arguments: {} }));`;
  const modules = {
    "outer.ts": oneTool({ name: "outer", body }).replace("execute:", "timeout: 600_000,\n      execute:"),
    "quick.ts": oneTool({ name: "quick", body: "return data(1);" }).replace(
      "execute:",
      "timeout: 400,\n      execute:",
    ),
    "spin.ts": spin(500),
  };
  const { run } = await workspace({
    "mount-plan.yaml": planOf("./outer.ts", "./quick.ts", "./spin.ts"),
    ...modules,
  });

  expect((await run(["call", "outer"])).stderr).toContain('TIMED_OUT "spin"');
});

test("a regular expression that never ends is ended, too", async () => {
  const body = 'return data(/^(a+)+$/.test("a".repeat(50) + "b"));';
  const regex = oneTool({ name: "regex", body }).replace("execute:", "timeout: 500,\n      execute:");
  const { run } = await workspace({ "mount-plan.yaml": planOf("./regex.ts"), "regex.ts": regex });

  expect(await run(["call", "regex"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("TIMED_OUT"),
  });
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends a command whose thread a tool blocks, on the first signal",
  async (signal) => {
    const { start } = await workspace({ "mount-plan.yaml": planOf("./spin.ts"), "spin.ts": spin(600_000) });
    const { child, ended } = start(["call", "spin"]);
    await new Promise<void>((resolve) => {
      let said = "";
      child.stderr!.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes("blocks the thread")) resolve();
      });
    });
    child.kill(signal);
    await ended;

    expect(child.signalCode).toBe(signal);
  },
);

test("a thread that waits, and gets no processor, ends no process for ten seconds, also past the timeout of its call", async () => {
  // As a process that a busy machine does not run: the thread shows no sign, and computes nothing.
  const body = 'process.getBuiltinModule("node:child_process").execFileSync("sleep", ["5"]); return data(1);';
  const nap = oneTool({ name: "nap", body }).replace("execute:", "timeout: 500,\n      execute:");
  const { run } = await workspace({ "mount-plan.yaml": planOf("./nap.ts"), "nap.ts": nap });

  // Its work is done by the time at which the host can look again, so it did not fail.
  expect(await run(["call", "nap"])).toMatchObject({ code: 0, stdout: expect.stringContaining("ok nap") });
});

test("a disk that stalls under the store ends no process, also past the timeout of a call", async () => {
  const note = oneTool({ name: "note", body: 'return data("noted");' });
  const place = await workspace({
    "mount-plan.yaml": `state: sqlite:./state.db\naudit: durable\n${planOf("./note.ts")}`,
    "note.ts": note.replace("execute:", "timeout: 500,\n      execute:"),
  });
  const call = ["call", "note", "--json"];
  expect((await place.run(call)).code).toBe(0);

  const { folder: cwd } = place;
  const program = {
    words: [...command, ...call],
    paths: [join(cwd, "state.db"), join(cwd, "state.db-wal")],
    cwd,
  };
  const fault = { call: "fsync", error: "late", at: 1, stays: true } as const;
  const { code, stdout, asked } = await runOnDisk(program, ["fsync"], fault);
  expect(JSON.parse(stdout)).toMatchObject({ status: "ok", result: { data: "noted" } });
  expect(code).toBe(0);
  expect(asked.get("fsync")).toBeGreaterThan(0);
});
