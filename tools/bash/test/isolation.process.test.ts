import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer as createWebServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, silentLogger } from "@toolmount/core";
import { config, mount, type Settings } from "@toolmount/tool-bash";
import { describe, expect, onTestFinished, test } from "vitest";
import { sandboxIsTested, scratch, shell, stopOnceReady, type Output } from "./world.ts";

const isolated = { isolation: "bubblewrap" as const };

async function inside(command: string, settings: object = {}) {
  const { bash, folder } = shell({ ...isolated, ...settings });
  const result = await bash.execute({ command });
  expect(result.error).toBeUndefined();
  return { ...(result.data as Output), folder };
}

test("where bubblewrap is not installed nothing runs", async () => {
  const { bash, folder } = shell(isolated, { environment: { PATH: "/nowhere" } });

  expect(await bash.execute({ command: "echo > ran" })).toMatchObject({ code: "ISOLATION_UNAVAILABLE" });
  expect(existsSync(join(folder, "ran"))).toBe(false);
});

describe.runIf(sandboxIsTested)("in the sandbox", () => {
  test("in the sandbox commands run in the working folder, and write there", async () => {
    const { stdout, folder } = await inside("pwd; echo x > a; cat a");

    expect(stdout).toBe(`${folder}\nx\n`);
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("x\n");
  });

  test("files outside are not there, neither by a link", async () => {
    const secret = join(scratch(), "secret");
    writeFileSync(secret, "top secret");
    const folder = scratch();
    symlinkSync(secret, join(folder, "link"));
    const { stdout, returncode } = await inside(
      `cat ${secret} link /root/.bashrc /etc/shadow /var/log/* 2>/dev/null`,
      {
        working_dir: folder,
      },
    );

    expect({ stdout, returncode }).toEqual({ stdout: "", returncode: 1 });
  });

  test("nothing outside the write paths can be written, also by a program that the policy knows nothing of", async () => {
    const kept = scratch();
    const { returncode } = await inside(`printf x | dd of=/usr/x status=none; cp /bin/true ${kept}/x`, {
      safety_profile: "unrestricted",
      allowed_read_paths: [kept],
    });

    expect(returncode).not.toBe(0);
    expect(existsSync("/usr/x") || existsSync(join(kept, "x"))).toBe(false);
  });

  test("a denied path below a write path cannot be written", async () => {
    const folder = scratch();
    mkdirSync(join(folder, "kept"));
    const { returncode } = await inside("cp /bin/true kept/x", {
      working_dir: folder,
      denied_write_paths: [join(folder, "kept")],
      safety_profile: "unrestricted",
    });

    expect(returncode).not.toBe(0);
    expect(existsSync(join(folder, "kept/x"))).toBe(false);
  });

  test("paths that may be read can be read", async () => {
    const other = scratch();
    writeFileSync(join(other, "a"), "seen");

    expect((await inside(`cat ${other}/a`, { allowed_read_paths: [other] })).stdout).toBe("seen");
  });

  test("there is no network, unless the settings say so", async () => {
    const server = createServer((socket) => void socket.end("hello\n"));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
    const settings = { safety_profile: "unrestricted" };

    expect(await inside(ask, settings)).toMatchObject({ stdout: "", returncode: 1 });
    expect(await inside(ask, { ...settings, network: true })).toMatchObject({
      stdout: "hello\n",
      returncode: 0,
    });
  });

  test("hosts that the settings list are reached by HTTP, and no others", async () => {
    const server = createWebServer((_, response) => void response.end("hello\n")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const folder = scratch();
    const settings = { working_dir: folder, safety_profile: "unrestricted" };
    const ask = `exec 3<>"/dev/tcp/127.0.0.1/\${http_proxy##*:}" && printf 'GET http://localhost:${port}/ HTTP/1.0\\r\\n\\r\\n' >&3 && tail -1 <&3`;

    expect(await inside(ask, { ...settings, network: [`localhost:${port}`] })).toMatchObject({
      stdout: "hello\n",
      returncode: 0,
    });
    expect(await inside(ask, { ...settings, network: ["registry.example.com"] })).toMatchObject({
      stdout: `localhost:${port} is not among the hosts that this plan lets commands reach\n`,
    });
    const direct = `exec 3<>/dev/tcp/127.0.0.1/${port}`;
    expect(await inside(direct, { ...settings, network: [`localhost:${port}`] })).toMatchObject({
      returncode: 1,
    });
  });

  test("the host's processes are not there, nor can they be sent signals, nor their environment be read", async () => {
    const { stdout } = await inside(
      `kill -0 ${process.pid} 2>/dev/null && echo reached; cat /proc/${process.pid}/environ /proc/$PPID/environ 2>/dev/null | tr '\\0' '\\n' | grep -c VITEST`,
    );

    expect(stdout).toBe("0\n");
  });

  test("return codes, time limits and background commands are as without", async () => {
    const tools = shell(isolated);
    const { id } = (await tools.bash.execute({ command: "echo behind; exit 5", run_in_background: true }))
      .data as { id: string };

    expect(await tools.bash.execute({ command: "exit 3" })).toMatchObject({ data: { returncode: 3 } });
    expect(await tools.bash.execute({ command: "kill -KILL $$" })).toMatchObject({
      data: { returncode: 137 },
    });
    expect(await tools.bash.execute({ command: "echo begun; sleep 60", timeout: 3 })).toMatchObject({
      code: "COMMAND_TIMED_OUT",
      details: { stdout: "begun\n" },
    });
    await tools.bashOutput.execute({ id, offset: 7, wait: 20 });
    expect((await tools.bashOutput.execute({ id })).data).toMatchObject({
      status: "exited",
      returncode: 5,
      content: "behind\n",
    });
  });

  test("TERM comes before KILL in the sandbox too", async () => {
    const tools = shell(isolated);
    await stopOnceReady(tools, `trap 'echo bye > said; exit' TERM; echo ready; sleep 60 & wait`);

    expect(tools.read("said")).toBe("bye\n");
  });

  test("where the sandbox does not work nothing runs: neither is the module mounted, nor does a call run", async () => {
    const folder = scratch();
    const broken = { working_dir: folder, ...isolated, allowed_read_paths: [join(folder, "not/there")] };
    const host = createHost();
    onTestFinished(() => void host.close());

    await expect(mount(host.coordinator, config.parse(broken))).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(
        "isolation: bubblewrap does not work here: bwrap: Can't find source path",
      ),
    });
    expect(host.tools()).toEqual([]);
    expect(await shell(broken).bash.execute({ command: "touch ran" })).toMatchObject({
      code: "ISOLATION_UNAVAILABLE",
    });
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });
});

describe.runIf(sandboxIsTested)("behind the default wall", () => {
  const behind = (settings: Settings = {}) => shell({ isolation: "auto", ...settings });

  test("the default isolation is auto", () => {
    expect(config.parse({}).isolation).toBe("auto");
  });

  test.each([
    ["a file outside", (outside: string) => `echo x > ${outside}/new`],
    ["awk", (outside: string) => `awk 'BEGIN { f = "${outside}/new"; print "x" > f }'`],
    [
      "an unknown program",
      (outside: string) =>
        `python3 -c 'open("${outside}/new", "w")' || node -e 'fs.writeFileSync("${outside}/new", "x")'`,
    ],
    ["a link made before", (outside: string) => `ln -s ${outside} link; touch link/new`],
    ["a process that left its session", (outside: string) => `setsid -w touch ${outside}/new`],
  ])("a command approved by a person cannot write outside through %s", async (_title, command) => {
    const outside = scratch();
    const tools = behind({ safety_profile: "unrestricted" });

    await tools.bash.execute({ command: command(outside) });

    expect(readdirSync(outside)).toEqual([]);
  });

  test("the working folder, the write paths and /tmp are writable, and other files readable", async () => {
    const more = scratch();
    const tools = behind({ allowed_write_paths: [more], safety_profile: "unrestricted" });

    const { data } = await tools.bash.execute({
      command: `echo a > here && echo b > ${more}/there && echo c > /tmp/kept && cat /etc/hostname >/dev/null && echo done`,
    });

    expect(data).toMatchObject({ returncode: 0, stdout: "done\n" });
    expect([tools.read("here"), readFileSync(join(more, "there"), "utf8")]).toEqual(["a\n", "b\n"]);
    // /tmp is the same folder for the next command, and not the host's.
    expect(await tools.bash.execute({ command: "cat /tmp/kept" })).toMatchObject({ data: { stdout: "c\n" } });
    expect(existsSync("/tmp/kept")).toBe(false);
  });

  test("protected files are not writable, even by a command that a person approved", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "plan.yaml"), "version: 1\n");
    const tools = shell(
      { working_dir: folder, isolation: "auto", safety_profile: "unrestricted" },
      { protectedPaths: () => [join(folder, "plan.yaml")] },
    );

    await tools.bash.execute({ command: "echo x >> plan.yaml; mv plan.yaml other; rm -f plan.yaml" });

    expect(tools.read("plan.yaml")).toBe("version: 1\n");
  });

  test("the host's processes and Docker's socket are out of reach", async () => {
    const tools = behind({ safety_profile: "unrestricted" });
    const { data } = await tools.bash.execute({
      command: `kill -0 ${process.pid} 2>/dev/null && echo reached; ls /run/docker.sock /var/run/docker.sock 2>/dev/null; echo end`,
    });

    expect(data).toMatchObject({ stdout: "end\n" });
  });

  test("without bubblewrap a command runs with the host's rights", async () => {
    const tools = shell({ isolation: "auto" }, { environment: { PATH: programsWithout("bwrap") } });

    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...given: unknown[]) => void warnings.push(given.at(-1)) };
    for (const _ of [1, 2])
      expect(await tools.bash.execute({ command: "echo ran" }, { logger })).toMatchObject({
        data: { stdout: "ran\n" },
      });
    expect(warnings).toEqual([
      expect.stringMatching(
        /run with the host's rights.*bwrap is not on PATH; install the package bubblewrap/,
      ),
    ]);
  });

  test("closing the shell removes its /tmp", async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("toolmount-tmp-"));
    const tools = behind();
    await tools.bash.execute({ command: "echo x > /tmp/x" });

    await tools.close();

    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("toolmount-tmp-"))).toEqual(before);
  });
});

/** A folder with links to the shell and to echo, and without one program. */
function programsWithout(missing: string): string {
  const folder = scratch();
  for (const name of ["bash", "grep", "sleep"].filter((each) => each !== missing))
    symlinkSync(`/bin/${name}`, join(folder, name));
  return folder;
}
