import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHost, type RunnerJob } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { config } from "../src/config.ts";
import { openProcesses } from "../src/process/open-processes.ts";
import { control, job } from "./far-world.ts";

const specifier = fileURLToPath(new URL("modules/protocol.ts", import.meta.url));

/** Opens processes for a plan in a folder, and returns what a module in one of them knows of it. */
async function pathsOf(capabilities: Readonly<Record<string, unknown>>, run: object = {}) {
  const host = createHost();
  for (const [name, value] of Object.entries(capabilities))
    host.coordinator.registerCapability(`session.${name}` as never, value as never);
  const grants = { hooks: ["tool:pre"], capabilities: ["protocol.names"] };
  const [settings] = config.parse({ runners: [{ name: "p", in: "process", ...grants, ...run }] }).runners;
  const runner = await openProcesses(host.coordinator, settings as never);
  onTestFinished(async () => {
    await runner.close();
    await host.close();
  });
  const module = { specifier, config: {} };
  const given = { ...job("r"), tool: "act", module, arguments: { act: "paths", text: "" } } as RunnerJob;
  return ((await runner.run(given, control())) as { data: object }).data;
}

test("a process has the folder of its plan, and what its tools must not change or read", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-plan-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "deep"));
  const found = await pathsOf({
    working_dir: join(folder, "deep"),
    protected_paths: ["/plan.yaml"],
    secret_paths: ["/key"],
    plan_files: ["/included.yaml"],
  });
  const { secret, ...rest } = found as { secret: string[] };
  expect(rest).toEqual({
    folder: join(folder, "deep"),
    denied: ["/plan.yaml"],
    cwd: join(folder, "deep"),
    own: null,
  });
  // The history of a repository may have what its files no longer have.
  const repositories = [join(folder, "deep/.git"), join(folder, ".git")];
  expect(secret.slice(0, 4)).toEqual(["/key", "/included.yaml", ...repositories]);
  expect(secret).toContain("/.git");
});

test("without a plan a process is in the root folder, and it gets the variables that are named", async () => {
  process.env["OWN"] = "mine";
  onTestFinished(() => void delete process.env["OWN"]);
  const found = await pathsOf({}, { env: ["OWN"] });
  const { secret, ...rest } = found as { secret: string[] };
  expect(rest).toEqual({ folder: "/", denied: [], cwd: "/", own: "mine" });
  expect(secret[0]).toBe("/.git");
});
