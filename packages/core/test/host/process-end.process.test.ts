import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let folder: string;
beforeAll(async () => {
  // Beside the package's own files, so that its dependencies are found.
  folder = await mkdtemp(join(import.meta.dirname, ".process-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const preamble = `
import { z } from "zod";
import { createHost, data, defineTool } from "../../../src/index.ts";
const host = createHost();
const mount = (timeout: number, execute: () => unknown) =>
  host.coordinator.mount("tools", defineTool({
    name: "probe", description: "Probes. Use it in tests.", schema: z.strictObject({}),
    category: "read", consequenceLevel: "low", requiresConfirmation: false, timeout, execute: execute as never,
  }));
`;

async function run(body: string): Promise<string> {
  const file = join(folder, "program.ts");
  await writeFile(file, preamble + body);
  const { stdout } = await promisify(execFile)(process.execPath, [
    "-C",
    "@toolmount/source",
    "--no-warnings",
    file,
  ]);
  return stdout;
}

describe("a program with a host in it", () => {
  test("ends when its work is done, however far away the deadlines were", async () => {
    expect(
      await run(`
        mount(600_000, () => data("done"));
        for (let at = 0; at < 3; at++) console.log((await host.call({ name: "probe" })).result.data);
      `),
    ).toBe("done\ndone\ndone\n");
  });

  test("does not end while a call waits for its deadline", async () => {
    expect(
      await run(`
        mount(50, () => new Promise(() => {}));
        console.log((await host.call({ name: "probe" })).status);
        console.log((await host.call({ name: "probe" })).status);
      `),
    ).toBe("timed_out\ntimed_out\n");
  });

  test("does not end while a call waits, after a pause without any", async () => {
    expect(
      await run(`
        let answer: unknown = data("first");
        mount(50, () => answer);
        console.log((await host.call({ name: "probe" })).status);
        await new Promise((resolve) => setTimeout(resolve, 10));
        answer = new Promise(() => {});
        console.log((await host.call({ name: "probe" })).status);
      `),
    ).toBe("ok\ntimed_out\n");
  });
});
