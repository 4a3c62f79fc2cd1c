import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { createProcessMark } from "../../src/host/process-mark.ts";

/** A process that prints its mark, and lives until its input ends. */
async function another() {
  const file = new URL("../../src/host/process-mark.ts", import.meta.url).href;
  const program = `import(${JSON.stringify(file)}).then(({ createProcessMark }) => console.log(createProcessMark().id)); process.stdin.resume();`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  const [id] = (await once(createInterface(child.stdout), "line")) as [string];
  return { child, id };
}

test("a process that is there, or stopped, is not gone, and one that was killed is", async () => {
  const mark = createProcessMark();
  const { child, id } = await another();
  expect(mark.isGone(id)).toBe(false);
  child.kill("SIGSTOP");
  expect(mark.isGone(id)).toBe(false);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(mark.isGone(id)).toBe(true);
  expect(mark.isGone(mark.id)).toBe(false);
});

test("a process that has the number of another one is not that one", () => {
  const mark = createProcessMark();
  const [host, boot, namespace, pid, start] = JSON.parse(mark.id) as unknown[];
  expect(mark.isGone(JSON.stringify([host, boot, namespace, pid, `${String(start)}0`]))).toBe(true);
});

test("of another machine, another container, and of what no mark is, it is not known", () => {
  const mark = createProcessMark();
  const [host, boot, namespace, ...rest] = JSON.parse(mark.id) as unknown[];
  expect(mark.isGone(JSON.stringify(["elsewhere", boot, namespace, ...rest]))).toBe(null);
  expect(mark.isGone(JSON.stringify([host, boot, "pid:[1]", ...rest]))).toBe(null);
  expect(mark.isGone("gone")).toBe(null);
});
