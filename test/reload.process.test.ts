import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { expect, onTestFinished, test } from "vitest";
import { folderOf } from "./workers/world.ts";

/** A plan whose shell needs no approver, with what is added below the tools. */
const planOf = (after = "", settings = "") =>
  `version: 1
tools:
  - module: "@toolmount/tool-bash"
    config: { isolation: none${settings} }
${after}`;

async function openShell() {
  const folder = await folderOf({ "plan.yaml": planOf() });
  const host = await openHost(join(folder, "plan.yaml"), {
    logger: silentLogger,
    extensions: {
      "@toolmount/tool-bash": () => import("@toolmount/tool-bash"),
      "@toolmount/policy": () => import("@toolmount/policy"),
      "@toolmount/tool-testing": () => import("@toolmount/tool-testing"),
    },
    approver: () => ({ decision: "approve" }),
  });
  onTestFinished(async () => void (await host.close()));
  const session = { sessionId: "s" };
  const bash = (given: object) => host.call({ name: "bash", arguments: { ...given } }, session);
  const reload = async (plan: string) => {
    await writeFile(join(folder, "plan.yaml"), plan);
    return host.reload();
  };
  return { host, folder, session, bash, reload };
}

/** A command that runs until a file is there. */
const until = (folder: string, file: string) =>
  `until [ -e ${join(folder, file)} ]; do sleep 0.02; done; echo done`;

test("a background command outlives every reload that leaves its entry as it is", async () => {
  const { host, folder, session, bash, reload } = await openShell();
  const started = await bash({ command: until(folder, "go"), run_in_background: true });
  expect(started.status, JSON.stringify(started.result)).toBe("ok");
  const { id } = started.result.data as { readonly id: string };

  for (const plan of [
    planOf('  - module: "@toolmount/tool-testing"\n'),
    planOf("policy: { deny: [bash_stop] }\n"),
    planOf("policy: { budgets: { calls: 40 } }\n"),
    `# a comment above\n${planOf()}`,
  ])
    await reload(plan);

  const list = await host.call({ name: "bash_list", arguments: {} }, session);
  expect(list.result.data).toMatchObject({ jobs: [{ id, status: "running" }] });
  await writeFile(join(folder, "go"), "");
  await expect
    .poll(async () => (await host.call({ name: "bash_output", arguments: { id } }, session)).result.data)
    .toMatchObject({ content: "done\n", status: "exited", returncode: 0 });
});

test("a command of a replaced entry ends in its own time, and the reload does not wait for it", async () => {
  const { folder, bash, reload } = await openShell();
  const running = bash({ command: `touch ${join(folder, "began")}; ${until(folder, "go")}` });
  await expect.poll(() => existsSync(join(folder, "began"))).toBe(true);

  const { mounted, drained } = await reload(planOf("", ", timeout: 60"));
  await writeFile(join(folder, "go"), "");

  expect(mounted).toEqual(["@toolmount/tool-bash"]);
  expect(drained.draining).toHaveLength(1);
  expect(await running).toMatchObject({ status: "ok", runId: drained.draining[0] });
  expect((await running).result.data).toMatchObject({ stdout: "done\n", returncode: 0 });
});
