import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@toolmount/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { control, job, mounts, patientClock, start } from "./far-world.ts";

describe("a call in a process", () => {
  const running = async (script: string, clock?: Clock) => {
    const made = start(
      `on = (m) => {
      if (m.type === "mount") say({ type: "mounted", keepsState: false });
      ${script}
    };`,
      clock === undefined ? {} : { clock },
    );
    await made.far.mounted;
    return made;
  };

  test("that ends the process has no known outcome, and reads how it ended", async () => {
    const { far } = await running(`else if (m.type === "run") process.exit(7);`);
    await expect(far.run(job("r"), control())).rejects.toMatchObject({
      message: expect.stringContaining("exit code 7"),
    });
    expect(await far.ended).toBe("ended with exit code 7");
    expect(far.isAlive).toBe(false);
  });

  test("that is stopped may end by itself", async () => {
    const clock = patientClock();
    const { far } = await running(
      `else if (m.type === "abort") say({ type: "returned", runId: m.runId, value: { data: [m.name, m.message] } });`,
      clock,
    );
    const controller = new AbortController();
    const ending = far.run(job("r"), control(controller.signal));
    controller.abort(new DOMException("enough", "AbortError"));
    expect(await ending).toEqual({ data: ["AbortError", "enough"] });
    clock.over();
    expect(far.isAlive).toBe(true);
  });

  test("that does not end in time after it is stopped ends with its process", async () => {
    const { far } = await running("");
    const signal = AbortSignal.abort(new DOMException("enough", "AbortError"));
    far.run(job("r"), control(signal)).catch(() => {});
    expect(await far.ended).toBe(
      "ended: it was killed, because the call did not end within 250 ms after it was stopped",
    );
  });

  test("whose answer is on its way when its process is killed gets it, and no further call gets the process", async () => {
    const clock = patientClock();
    const folder = mkdtempSync(join(tmpdir(), "toolmount-far-ends-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const said = join(folder, "said");
    const { far } = await running(
      `else if (m.type === "abort") {
        require("node:fs").writeSync(3, JSON.stringify({ type: "returned", runId: m.runId, value: { data: 1 } }) + "\\n");
        require("node:fs").writeFileSync(${JSON.stringify(said)}, "");
      }`,
      clock,
    );
    const controller = new AbortController();
    const ending = far.run(job("r"), control(controller.signal));
    controller.abort(new DOMException("enough", "AbortError"));
    // A busy host: the time is over before it reads the answer.
    while (!existsSync(said));
    clock.over();

    expect(await ending).toEqual({ data: 1 });
    expect(far.isAlive).toBe(false);
  });

  test("that is stopped beside others in a process that answers is left to it", async () => {
    const clock = patientClock();
    const { far, announced } = await running(
      `else if (m.type === "abort") {
        say({ type: "aborting", runId: m.runId });
        say({ type: "event", event: "notes:stopping", data: {} });
      }`,
      clock,
    );
    const controller = new AbortController();
    far.run(job("a"), control(controller.signal)).catch(() => {});
    far.run(job("b"), control()).catch(() => {});
    controller.abort(new DOMException("enough", "AbortError"));
    await vi.waitUntil(() => announced.length > 0, 60_000);
    clock.over();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([far.isAlive, far.running]).toEqual([true, 2]);
  });
});

test("a process that closes its channel and ends is not killed", async () => {
  const { far } = start(`${mounts} setTimeout(() => { socket.destroy(); process.exitCode = 5; }, 50);`);
  await far.mounted;
  expect(await far.ended).toBe("ended with exit code 5");
});

test("a process that closed its channel gets no further call, also before it has ended", async () => {
  const { far } = start(`${mounts} setTimeout(() => socket.destroy(), 50); setInterval(() => {}, 1_000);`);
  await far.mounted;
  let hasEnded = false;
  void far.ended.then(() => (hasEnded = true));
  await vi.waitUntil(() => !far.isAlive, 60_000);
  expect(hasEnded).toBe(false);
  expect(await far.ended).toBe("ended: it closed its channel to the host");
});

test("what a process sends last is read before it counts as ended", async () => {
  const { far } = start(`on = (m) => {
    if (m.type === "mount") say({ type: "mounted", keepsState: false });
    else if (m.type === "run") {
      require("node:fs").writeSync(3, JSON.stringify({ type: "returned", runId: m.runId, value: { data: "last" } }) + "\\n");
      process.kill(process.pid, "SIGKILL");
    }
  };`);
  await far.mounted;
  expect(await far.run(job("r"), control())).toEqual({ data: "last" });
  expect(await far.ended).toBe("ended by SIGKILL");
});

test("the first reason for which a process is killed counts", async () => {
  const { far } = start(mounts);
  await far.mounted;
  far.kill("it is too old");
  expect(far.isAlive).toBe(false);
  far.kill("it is too new");
  expect(await far.ended).toBe("ended: it is too old");
  far.kill("it is gone");
  await vi.waitUntil(() => !far.isAlive, 60_000);
});
