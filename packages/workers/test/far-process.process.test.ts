import { silentLogger, systemClock } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { FarProcess } from "../src/process/far-process.ts";
import { control, job, module, start } from "./far-world.ts";

describe("a process", () => {
  test("mounts the module that it is given, in its folder and with its variables, and runs calls", async () => {
    const { far } = start(`
      on = (m) => {
        if (m.type === "mount") say({ type: "mounted", keepsState: true });
        else if (m.type === "run")
          say({ type: "returned", runId: m.runId, value: { data: [m.tool, m.arguments, m.state, process.cwd(), process.env.OWN, Object.keys(process.env).filter((name) => name === "PATH").length] } });
      };
    `);
    expect(await far.mounted).toMatchObject({ keepsState: true });
    const running = far.run(job("r"), control());
    expect(far.running).toBe(1);
    expect(await running).toEqual({ data: ["pay", { a: 1 }, { kept: 1 }, "/", "yes", 0] });
    expect([far.running, far.isAlive]).toEqual([0, true]);
  });

  test("answers questions of the host, each with a number of its own", async () => {
    const { far } = start(`
      on = (m) => {
        if (m.type === "mount") say({ type: "mounted", keepsState: false });
        else if (m.type === "ask" && m.question.method === "fail")
          say({ type: "threw", runId: m.runId, thrown: { kind: "error", name: "Error", message: "no" } });
        else if (m.type === "ask") say({ type: "returned", runId: m.runId, value: [m.runId, m.question] });
      };
    `);
    await far.mounted;
    const { signal } = new AbortController();
    const question = (method: string) => ({ capability: "notes", method, arguments: [1] });
    expect(await far.ask(question("read"), signal)).toEqual(["question 1", question("read")]);
    await expect(far.ask(question("fail"), signal)).rejects.toThrow(
      expect.objectContaining({ message: "no" }),
    );
    expect(await far.ask(question("read"), signal)).toEqual(["question 3", question("read")]);
  });

  test("uses capabilities of the host, and announces events", async () => {
    const use = async ({ name, method, arguments: given }: never) => {
      if (method === "fail") throw new Error("not granted");
      return [name, method, given];
    };
    const { far, announced } = start(
      `
      on = (m) => {
        if (m.type === "mount") {
          say({ type: "mounted", keepsState: false });
          say({ type: "event", event: "notes:changed", data: { a: 1 } });
        } else if (m.type === "run") {
          say({ type: "use", id: 1, name: "notes", method: "read", arguments: [2] });
          say({ type: "use", id: 2, name: "notes", method: "fail", arguments: [] });
          const seen = [];
          on = (answer) => seen.push(answer) === 2 && say({ type: "returned", runId: m.runId, value: { data: seen } });
        }
      };
    `,
      { use: use as never },
    );
    await far.mounted;
    const { data: seen } = (await far.run(job("r"), control())) as { data: object[] };
    expect(seen).toEqual([
      { type: "used", id: 1, value: ["notes", "read", [2]] },
      { type: "call-failed", id: 2, message: "not granted" },
    ]);
    expect(announced).toEqual([["notes:changed", { a: 1 }]]);
  });
});

describe("a process that does not mount its module", () => {
  test.each<[string, string, object]>([
    [
      "since its config is invalid",
      `say({ type: "refused", problem: "root: is missing", config: true })`,
      { code: "CONFIG_INVALID", details: { module: module.specifier, problem: "root: is missing" } },
    ],
    [
      "since it fails",
      `say({ type: "refused", problem: "no such file", config: false })`,
      {
        message: "the process could not mount the module: no such file",
        stack: "the process could not mount the module: no such file",
      },
    ],
    ["since it ends", `process.exit(3)`, { message: "the process ended with exit code 3" }],
    [
      "since it sends what is no message",
      `socket.write("no\\n")`,
      { message: expect.stringMatching(/^the process ended: it /) },
    ],
  ])("%s says so", async (_, act, expected) => {
    const { far } = start(`on = (m) => m.type === "mount" && (${act.replace(/;$/, "")});`);
    await expect(far.mounted).rejects.toMatchObject(expected);
    await far.ended;
    expect(far.isAlive).toBe(false);
  });

  test("says what it printed last, which the log has, too", async () => {
    const { far, logged } = start(`console.error("no key"); process.exitCode = 2; socket.destroy();`);
    await expect(far.mounted).rejects.toThrow(
      expect.objectContaining({ message: "the process ended with exit code 2: no key" }),
    );
    expect(logged).toEqual([[{ output: "no key\n" }, "a process that runs calls ended with exit code 2"]]);
  });

  test("in its time is killed", async () => {
    const { far } = start(``, { startTimeoutMs: 400 });
    expect(await far.ended).toBe("ended: it did not mount its module within 400 ms");
  });

  test("since its program is not there says so", async () => {
    const other = new FarProcess({
      launch: { file: "/no/such/node", args: [], env: {} },
      mount: { type: "mount", module },
      memoryMb: undefined,
      startTimeoutMs: 30_000,
      cwd: "/",
      clock: systemClock,
      logger: silentLogger,
      services: {},
    } as never);
    await expect(other.mounted).rejects.toThrow(/^the process could not be started: .*ENOENT/);
  });
});
