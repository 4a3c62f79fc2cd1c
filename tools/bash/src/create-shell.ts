import { bashIn } from "./tools/bash.ts";
import { bashListIn } from "./tools/bash-list.ts";
import { bashOutputIn } from "./tools/bash-output.ts";
import { bashStopIn } from "./tools/bash-stop.ts";
import type { Settings } from "./config.ts";
import type { Judgement } from "./policy/judge.ts";
import { openShell, type Services } from "./shell.ts";

/** The four shell tools, which share their commands, for use without a host. */
export interface ShellTools extends AsyncDisposable {
  readonly bash: ReturnType<typeof bashIn>;
  readonly bashOutput: ReturnType<typeof bashOutputIn>;
  readonly bashList: ReturnType<typeof bashListIn>;
  readonly bashStop: ReturnType<typeof bashStopIn>;
  /** Returns what the policy says about a command, without running it. */
  judge(command: string): Judgement;
  /** Whether a person would be asked before a command runs. No person is asked about refused commands. */
  asks(command: string): boolean;
  /** Ends all commands, and waits until all their processes have ended. */
  close(): Promise<void>;
}

/** Makes the shell tools. Throws `CONFIG_INVALID` for contradictory settings. */
export function createShell(settings: Settings, services?: Services): ShellTools {
  const shell = openShell(settings, services);
  return {
    bash: bashIn(shell),
    bashOutput: bashOutputIn(shell),
    bashList: bashListIn(shell),
    bashStop: bashStopIn(shell),
    judge: (command) => shell.policy.judge(command),
    asks: (command) => shell.policy.asks(command),
    close: () => shell.close(),
    [Symbol.asyncDispose]: () => shell.close(),
  };
}
