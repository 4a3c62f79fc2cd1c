import { bashIn } from "./tools/bash.ts";
import { bashListIn } from "./tools/bash-list.ts";
import { bashOutputIn } from "./tools/bash-output.ts";
import { bashStopIn } from "./tools/bash-stop.ts";
import type { Settings } from "./config.ts";
import type { Judgement } from "./policy/judge.ts";
import { openShell, type Services } from "./shell.ts";

/** The four shell tools over the same commands, without a host. */
export interface ShellTools extends AsyncDisposable {
  readonly bash: ReturnType<typeof bashIn>;
  readonly bashOutput: ReturnType<typeof bashOutputIn>;
  readonly bashList: ReturnType<typeof bashListIn>;
  readonly bashStop: ReturnType<typeof bashStopIn>;
  /** What the policy says of a command, which is not run. */
  judge(command: string): Judgement;
  /** Whether a person is asked before a command runs. Refused commands are not asked about. */
  asks(command: string): boolean;
  /** Ends all commands and waits until nothing is left of them. */
  close(): Promise<void>;
}

/** Makes the shell tools of one mount. Throws `CONFIG_INVALID` when the settings cannot be meant. */
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
