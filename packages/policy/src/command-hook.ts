import { randomUUID } from "node:crypto";
import type { Coordinator, EventData, HookResult } from "@toolmount/core";
import { matchesGlob } from "@toolmount/core/text";
import { createProgramGuard } from "@toolmount/sandbox";
import type { CommandHook } from "./config.ts";
import { hookEnvironment } from "./hook-environment.ts";
import { runHookProcess } from "./hook-process.ts";
import { readHookAnswer, writeHookInput } from "./hook-wire.ts";

/** The environment variable that identifies the hooks of one mount. */
const markName = "TOOLMOUNT_HOOK_ID";

/** Milliseconds that the gate waits longer than the hook's own timeout, so that the hook can report how it ended. */
const graceMs = 2_000;

/**
 * Mounts a program that is asked about calls, over the protocol of Claude Code's hooks: the call as JSON on standard
 * input; exit code 0 and perhaps a JSON answer, or exit code 2 and the reason on standard error. Every other end is a
 * failure, which denies the call unless `onFailure` is `allow`.
 */
export function mountCommandHook(hook: CommandHook, coordinator: Coordinator): void {
  const { events, tools, timeout: timeoutMs, priority } = hook;
  const running = new Set<() => void>();
  // The host may be killed after a hook starts but before the guard has its id, so the guard also finds hooks by a mark.
  const mark = randomUUID();
  const guard = createProgramGuard({
    mark: `${markName}=${mark}`,
    path: hookEnvironment({}, undefined)["PATH"],
  });
  const name = nameOf(hook);
  for (const event of events)
    coordinator.hooks.gate(
      event,
      (_event, data) => {
        const tool = String(data["tool_name"]);
        return tools.some((glob) => matchesGlob(glob, tool)) ? ask(event, data) : undefined;
      },
      { name, priority, timeoutMs: timeoutMs + graceMs },
    );
  coordinator.registerCleanup(() => {
    for (const kill of running) kill();
    guard.close();
  });

  async function ask(event: string, data: EventData): Promise<HookResult> {
    const folder = coordinator.getCapability("session.working_dir");
    const cwd = typeof folder === "string" ? folder : undefined;
    const end = await runHookProcess(hook.command, {
      input: writeHookInput(hook.dialect, event, data, cwd),
      cwd,
      env: { ...hookEnvironment(hook.env, cwd), [markName]: mark },
      timeoutMs,
      running,
      guard,
    });
    const answer = readHookAnswer(end, event, data);
    if ("failure" in answer) return failed(answer.failure);
    return answer.result;
  }

  function failed(problem: string): HookResult {
    const reason = `the hook ${name} failed: ${problem}`;
    if (hook.onFailure === "deny") return { action: "deny", reason };
    coordinator.logger.warn({ hook: name }, `${reason}; the plan allows the call all the same`);
    return { action: "continue" };
  }
}

function nameOf({ command }: CommandHook): string {
  const text = typeof command === "string" ? command : command.join(" ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
