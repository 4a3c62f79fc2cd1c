import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, type Logger } from "@toolmount/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { tool, world } from "./world.ts";

const call = { name: "note", arguments: { text: "hello" } };

async function tempFolder() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-hook-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A host whose calls a command is asked about, in a folder of the session. */
async function hooked(command: string | readonly string[], more: Record<string, unknown> = {}) {
  const folder = await tempFolder();
  const warned: { fields: unknown; message: string }[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields, message = "") => void warned.push({ fields, message }),
    child: () => logger,
  };
  const made = await world(
    { commandHooks: [{ command, timeout: 60_000, ...more }] },
    [tool("note", { category: "write" }), tool("other")],
    { logger },
  );
  made.host.coordinator.registerCapability("session.working_dir", folder);
  return { ...made, folder, warned };
}

const denial = "echo no >&2; exit 2";
const failed = async (command: string | readonly string[], more: Record<string, unknown> = {}) => {
  const { host } = await hooked(command, more);
  return (await host.call(call)).result.error;
};

describe("how a hook is run", () => {
  test("in the folder of the session, with the plan's variables and a mark by which it is found", async () => {
    const script = 'printf "%s\\n" "$PWD" "$CLAUDE_PROJECT_DIR" "$OWN" "$TOOLMOUNT_HOOK_ID" > out';
    const { host, folder } = await hooked(script, { env: { OWN: "mine" } });

    expect((await host.call(call)).status).toBe("ok");
    const [cwd, project, own, mark] = (await readFile(join(folder, "out"), "utf8")).split("\n");
    expect([cwd, project, own]).toEqual([folder, folder, "mine"]);
    expect(mark).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("without a folder where the host has none", async () => {
    const command = 'test -z "$CLAUDE_PROJECT_DIR" || exit 2';
    const { host } = await world({ commandHooks: [{ command, timeout: 60_000 }] }, [tool("note")]);

    expect((await host.call(call)).status).toBe("ok");
  });

  test("a list is a program with its arguments, which no shell reads", async () => {
    const { host, folder } = await hooked(["touch", "a b", "$HOME"]);

    expect((await host.call(call)).status).toBe("ok");
    expect([existsSync(join(folder, "a b")), existsSync(join(folder, "$HOME"))]).toEqual([true, true]);
  });

  test("reads all of the call", async () => {
    const { host, folder } = await hooked("cat > in");
    const text = "é".repeat(100_000);
    await host.call({ name: "note", arguments: { text } });

    expect(JSON.parse(await readFile(join(folder, "in"), "utf8"))).toMatchObject({ tool_input: { text } });
  });

  test.each([
    [["note"], "denied", "ok"],
    [["n*", "o*"], "denied", "denied"],
    [["x"], "ok", "ok"],
  ])("for the tools %j", async (tools, note, other) => {
    const { host } = await hooked(denial, { tools });

    expect((await host.call(call)).status).toBe(note);
    expect((await host.call({ name: "other" })).status).toBe(other);
  });

  test("of two hooks the one with the lower priority is asked first", async () => {
    const folder = await tempFolder();
    const hook = (name: string, priority: number) => ({
      command: `echo ${name} >> ${join(folder, "order")}`,
      timeout: 60_000,
      priority,
    });
    const { host } = await world({ commandHooks: [hook("one", 2), hook("two", 1)] }, [tool("note")]);
    await host.call(call);

    expect(await readFile(join(folder, "order"), "utf8")).toBe("two\none\n");
  });
});

describe("what a hook may write", () => {
  const bytes = (count: number, to = "1") => `head -c ${count} /dev/zero | tr '\\0' x >&${to}`;

  test("is 65536 bytes to each of its outputs", async () => {
    const { host } = await hooked(`${bytes(65_536)}; ${bytes(65_536, "2")}`);
    expect((await host.call(call)).status).toBe("ok");
  });

  test.each(["1", "2"])("one byte more to output %s is too much", async (to) => {
    const command = bytes(65_537, to);
    expect(await failed(command)).toBe(
      `"note" was not run: the hook ${command} failed: it wrote more than 65536 bytes`,
    );
  });

  test("its reason may be of several characters in pieces", async () => {
    expect(await failed("printf '\\303' >&2; sleep 0.05; printf '\\251' >&2; exit 2")).toBe(
      '"note" was not run: é',
    );
  });
});

describe("the reason of a hook that fails", () => {
  test.each<[string, string | readonly string[], string]>([
    ["names a list by its words", ["false", "a", "b"], "the hook false a b failed: exit code 1"],
    ["names a text as it is", "exit 3", "the hook exit 3 failed: exit code 3"],
    [
      "names 80 characters",
      `exit 1 # ${"x".repeat(71)}`,
      `the hook exit 1 # ${"x".repeat(71)} failed: exit code 1`,
    ],
    [
      "cuts 81 characters",
      `exit 1 # ${"x".repeat(72)}`,
      `the hook exit 1 # ${"x".repeat(70)}… failed: exit code 1`,
    ],
    [
      "names the signal that ended it",
      "kill -9 $$",
      "the hook kill -9 $$ failed: the signal SIGKILL ended it",
    ],
    [
      "names a program that is not there",
      ["no-such-program-here"],
      "the hook no-such-program-here failed: spawn no-such-program-here ENOENT",
    ],
  ])("%s", async (_title, command, reason) => {
    expect(await failed(command)).toBe(`"note" was not run: ${reason}`);
  });

  test("is logged where the plan allows the call all the same", async () => {
    const { host, warned } = await hooked("exit 1", { onFailure: "allow" });

    expect((await host.call(call)).status).toBe("ok");
    expect(warned).toContainEqual({
      fields: expect.objectContaining({ hook: "exit 1" }),
      message: "the hook exit 1 failed: exit code 1; the plan allows the call all the same",
    });
  });
});

test.runIf(process.platform === "linux")("a hook that runs is killed when its host closes", async () => {
  const { host, folder } = await hooked("echo $$ > new; mv new pid; exec sleep 600", { timeout: 600_000 });
  const running = host.call(call);
  await vi.waitFor(() => expect(existsSync(join(folder, "pid"))).toBe(true), {
    timeout: 60_000,
    interval: 10,
  });
  const pid = Number(await readFile(join(folder, "pid"), "utf8"));
  await host.close({ graceMs: 0 });
  await running;

  // A killed process may still be there for a moment, or as a zombie.
  await vi.waitFor(
    async () => {
      const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      expect(state === "" || /\) Z /.test(state)).toBe(true);
    },
    { timeout: 60_000, interval: 10 },
  );
});
