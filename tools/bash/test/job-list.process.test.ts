import { ownSession } from "@toolmount/core";
import { createHost, type ToolInfo } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-bash";
import { describe, expect, onTestFinished, test } from "vitest";
import { command, world } from "./job-world.ts";
import { scratch } from "./world.ts";

describe("the commands of a shell", () => {
  test("are listed for their session, those that ended first, with a short command", async () => {
    const { add, list } = world();
    const [ended, running] = [command("ab"), command("", { isStarted: false })];
    const two = add(running, { command: "x".repeat(201) });
    const one = add(ended, { command: "x".repeat(200) });
    add(command(), { background: false });
    add(command(), { session: ownSession(null, "other") });
    await ended.end({ kind: "timed_out" });
    const common = { returncode: null, started_at: "2026-01-02T03:04:05.000Z", stderr_bytes: 0 };
    expect((await list.execute({})).data).toEqual({
      jobs: [
        { ...common, id: one.id, pid: 7, command: "x".repeat(200), status: "timed_out", stdout_bytes: 2 },
        {
          ...common,
          id: two.id,
          pid: null,
          command: `${"x".repeat(200)}…`,
          status: "running",
          stdout_bytes: 0,
        },
      ],
    });
    expect([one.endedAt, one.ending, two.endedAt]).toEqual([1_001, { kind: "timed_out" }, null]);
  });

  test("are counted while they run, and die with their host", async () => {
    const { jobs, add } = world();
    const before = process.listenerCount("exit");
    const [one, two] = [command(), command()];
    add(one);
    add(two, { background: false });
    expect([jobs.active, jobs.activeInBackground, process.listenerCount("exit")]).toEqual([2, 1, before + 1]);
    jobs.kill();
    expect([one.asked, two.asked]).toEqual([["kill"], ["kill"]]);
    await one.end();
    expect([jobs.active, jobs.activeInBackground, process.listenerCount("exit")]).toEqual([1, 0, before + 1]);
    const closed = jobs.close();
    expect(two.asked).toEqual(["kill", "stop"]);
    await two.end();
    await closed;
    expect([jobs.active, process.listenerCount("exit")]).toEqual([0, before]);
    expect(jobs.list(undefined)).toEqual([]);
  });

  test("that ended in the foreground are found only where their output is kept", async () => {
    const { jobs, add } = world();
    const [one, two] = [command(), command()];
    const [cut, whole] = [add(one, { background: false }), add(two, { background: false })];
    expect(jobs.find(whole.id, undefined)).toBe(whole);
    jobs.keep(cut);
    await Promise.all([one.end(), two.end()]);
    expect([jobs.find(cut.id, undefined), jobs.find(whole.id, undefined)]).toEqual([cut, null]);
    expect(jobs.find(cut.id, ownSession(null, "other"))).toBeNull();
    expect([cut.id, whole.id].every((id) => /^cmd_[0-9a-f]{12}$/.test(id))).toBe(true);
  });

  test.each([
    ["sixty-five", 65, 0, 64],
    ["sixty-four", 64, 0, 64],
    ["four of eight megabytes", 4, 8_388_608, 4],
    ["four of a byte more", 4, 8_388_609, 3],
    ["one that is too large", 1, 33_554_433, 1],
  ])("of which %s are kept: the last ones", async (_, count, kept, left) => {
    const { jobs, add } = world();
    const given = Array.from({ length: count }, () => command("", { kept }));
    const added = given.map((one) => add(one));
    for (const one of given) await one.end();
    expect(added.filter(({ id }) => jobs.find(id, undefined) !== null)).toEqual(added.slice(count - left));
  });

  test("are stopped once, and the answer comes when they have ended", async () => {
    const { add, stop } = world();
    const given = command();
    const job = add(given);
    const answer = stop.execute({ id: job.id });
    await expect.poll(() => given.asked).toEqual(["stop"]);
    await given.end({ kind: "stopped" });
    expect((await answer).data).toEqual({ id: job.id, status: "stopped", returncode: null });
  });
});

test("the tools say what they are", async () => {
  const host = createHost();
  onTestFinished(() => void host.close());
  host.coordinator.registerCapability("session.working_dir", scratch());
  await mount(host.coordinator, config.parse({ timeout: 700, max_timeout: 600.0001 }));
  const tools = host.coordinator.get("tools") as ReadonlyMap<string, ToolInfo>;
  const shown = [
    "summary",
    "category",
    "consequenceLevel",
    "requiresConfirmation",
    "timeoutMs",
    "idempotent",
    "tags",
    "control",
    "irreversible",
  ] as const;
  const factsOf = (name: string) => shown.map((fact) => tools.get(name)![fact]);
  expect(factsOf("bash")).toEqual([
    "Runs a shell command.",
    "side_effect",
    "high",
    "dynamic",
    710_000,
    false,
    ["shell"],
    ["command"],
    true,
  ]);
  expect(factsOf("bash_output")).toEqual([
    "Reads the output of a command.",
    "read",
    "low",
    false,
    70_000,
    true,
    ["shell"],
    undefined,
    undefined,
  ]);
  expect(factsOf("bash_list")).toEqual([
    "Lists background commands.",
    "read",
    "low",
    false,
    15_000,
    true,
    ["shell"],
    undefined,
    undefined,
  ]);
  expect(factsOf("bash_stop")).toEqual([
    "Ends a background command.",
    "side_effect",
    "low",
    false,
    15_000,
    true,
    ["shell"],
    ["id"],
    true,
  ]);
});
