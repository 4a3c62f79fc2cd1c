import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { bashIn } from "./tools/bash.ts";
import { bashListIn } from "./tools/bash-list.ts";
import { bashOutputIn } from "./tools/bash-output.ts";
import { bashStopIn } from "./tools/bash-stop.ts";
import { configInvalid, type ParsedSettings } from "./config.ts";
import { sweepOrphans } from "./run/guard.ts";
import { openShell, type Services } from "./shell.ts";

/**
 * Mounts `bash` and the tools for its background commands. Throws `CONFIG_INVALID` if the plan requires an isolation
 * that does not work here.
 */
export async function mount(coordinator: Coordinator, settings: ParsedSettings): Promise<void> {
  const shell = openShell(settings, servicesOf(coordinator));
  coordinator.registerCleanup(() => shell.close());
  // Ends processes of hosts that were killed together with their guard.
  await sweepOrphans();
  // With `auto`, the first command tries out the sandbox, because mounting must not start a process.
  const problem = settings.isolation === "bubblewrap" ? await shell.prepare() : null;
  if (problem !== null) throw configInvalid(`isolation: bubblewrap does not work here: ${problem}`);
  for (const toolIn of [bashIn, bashOutputIn, bashListIn, bashStopIn])
    coordinator.mount("tools", toolIn(shell));
}

function servicesOf(coordinator: Coordinator): Services {
  return {
    planFolder: coordinator.getCapability("session.working_dir") ?? undefined,
    protectedPaths: () =>
      z.array(z.string()).catch([]).parse(coordinator.getCapability("session.protected_paths")),
    layer: coordinator.getCapability("session.layer") ?? undefined,
    secretPaths: () => z.array(z.string()).catch([]).parse(coordinator.getCapability("session.secret_paths")),
  };
}
