import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenedHost } from "@toolmount/loader";
import type { Layer } from "@toolmount/sandbox";
import type { AskingShell } from "../process/shell.ts";

/**
 * Opens the person's shell in the layer, where the model's waiting changes are visible and changes of the person wait, too.
 * Programs there obey files that an agent wrote, such as settings of git, so the shell runs in the same sandbox as an agent's
 * commands.
 */
export async function lookInto(
  { coordinator }: Pick<OpenedHost, "coordinator">,
  layer: Layer,
  { err, terminal }: AskingShell,
): Promise<void> {
  const sandbox = await import("@toolmount/sandbox");
  const { bubblewrapArguments, findProgram, passFilter, processEnvironment, sandboxStdio } = sandbox;
  const env = processEnvironment(["SHELL", "TERM"]);
  // Job control does not work on this terminal from a shell in other namespaces, so `script` gives the shell a separate terminal.
  const [bwrap, script] = ["bwrap", "script"].map((name) => findProgram(name, env["PATH"]));
  if (bwrap === undefined || script === undefined)
    return err.line("a look needs bwrap and script on PATH; install the packages bubblewrap and bsdutils");
  err.line("a shell in the layer, without network: exit ends it, and what you change waits, too");
  const temporary = mkdtempSync(join(tmpdir(), "toolmount-look-"));
  try {
    const denied = coordinator.getCapability("session.plan_files") ?? [];
    const own = [join(layer.folder, ".toolmount")];
    const secret = [...own, ...(coordinator.getCapability("session.secret_paths") ?? [])];
    const places = { cwd: layer.folder, write: [], denied, secret, read: [], temporary };
    const inside = { cwd: layer.folder, env: { ...env, TMPDIR: "/tmp" } };
    const wall = bubblewrapArguments(inside, sandbox.wallMounts({ ...places, network: false }));
    const filter = sandbox.systemCallFilter({ network: false });
    const args = [...wall, script, "--quiet", "/dev/null"];
    const { launch } = await layer.enter({ file: bwrap, args, env, filter });
    const [input, output] = [terminal.input, terminal.output] as readonly { readonly fd?: number }[];
    const child = spawn(launch.file, launch.args, {
      env: launch.env,
      stdio: sandboxStdio([input?.fd ?? 0, output?.fd ?? 2, output?.fd ?? 2], launch),
    });
    passFilter(child, launch);
    // The shell handles Ctrl-C and other signals of the terminal itself. They must not end this process before the shell.
    await once(child, "exit");
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
