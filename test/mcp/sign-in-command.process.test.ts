import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { startProtectedServer } from "./support/authorization-server.ts";
import { linkPackages, plainEnv, run, toolmount } from "./support/command.ts";
import { folderOf, planOf } from "./support/world.ts";

async function folderWith(source: object): Promise<string> {
  const folder = await folderOf({ "plan.yaml": stringify(planOf(source)) });
  await linkPackages(folder);
  return folder;
}

/** Runs `toolmount auth` to the address that it prints, and lets a person act there. */
async function auth(
  cwd: string,
  act: (address: string, say: (line: string) => void) => Promise<void>,
  words: readonly string[] = [],
) {
  const [command = "", ...before] = toolmount;
  const child = spawn(command, [...before, "auth", "fixture", "plan.yaml", "--no-browser", ...words], {
    cwd,
    env: plainEnv(),
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = once(child, "close");
  const stdout = text(child.stdout);
  for await (const line of createInterface({ input: child.stderr }))
    if (line.includes("/authorize?"))
      await act(line.trim(), (answer) => void child.stdin.write(`${answer}\n`));
  const [code] = (await closed) as [number];
  return { code, stdout: await stdout };
}

test("auth prints the address, waits for the browser, and the next command calls the server", async () => {
  const { url } = await startProtectedServer();
  const folder = await folderWith({ url });

  const before = await run(["call", "plan.yaml", "greet"], { cwd: folder });
  const signed = await auth(folder, async (address) => void (await fetch(address)).text());
  const after = await run(["call", "plan.yaml", "greet"], { cwd: folder });

  expect(before).toMatchObject({ code: 78, stderr: expect.stringContaining("toolmount auth fixture") });
  expect(signed).toMatchObject({ code: 0, stdout: expect.stringContaining("signed in to fixture") });
  expect(after).toMatchObject({ code: 0, stdout: expect.stringContaining("hello") });
});

test("auth takes the address to which a browser on another machine returned", async () => {
  const { url } = await startProtectedServer();
  const folder = await folderWith({ url });

  const signed = await auth(folder, async (address, say) => {
    const response = await fetch(address, { redirect: "manual" });
    say(response.headers.get("location") ?? "");
  });

  expect(signed).toMatchObject({ code: 0, stdout: expect.stringContaining("signed in") });
});

test("auth --user signs in one user, whose calls alone use it", async () => {
  const { url } = await startProtectedServer();
  const folder = await folderWith({ url, instance: "user" });
  const agree = async (address: string) => void (await fetch(`${address}&login=ana`)).text();
  await auth(folder, agree);
  await auth(folder, agree, ["--user", "ana"]);

  const call = (user: string) => run(["call", "plan.yaml", "who_am_i", "--user", user], { cwd: folder });

  expect(await call("ana")).toMatchObject({ code: 0, stdout: expect.stringContaining("ana") });
  expect(await call("ben")).toMatchObject({
    stderr: expect.stringContaining("toolmount auth fixture --user ben"),
  });
});

test("auth with an unknown name lists the servers of the plan", async () => {
  const folder = await folderWith({ url: "http://127.0.0.1:9/mcp" });

  const { code, stderr } = await run(["auth", "other", "plan.yaml"], { cwd: folder });

  expect(code).not.toBe(0);
  expect(stderr).toContain('no MCP server "other": the plan mounts "fixture"');
});
