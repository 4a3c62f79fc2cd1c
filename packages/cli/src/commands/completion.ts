import tabtab from "@pnpm/tabtab";
import { Argument, type Command } from "commander";
import { addExamples, jsonOption } from "../options/common.ts";
import { exitCodes } from "../process/exit-codes.ts";
import type { Shell } from "../process/shell.ts";

const shells = ["bash", "zsh", "fish", "pwsh"] as const;

/** `toolmount completion <shell>`: prints the script for a shell that completes typed commands of toolmount. */
export function define(command: Command, shell: Shell): void {
  command
    .addArgument(new Argument("<shell>", "the shell that reads the script").choices(shells))
    .option(...jsonOption)
    .action(async (name: (typeof shells)[number], { json }: { readonly json?: true }) => {
      const names = { name: "toolmount", completer: "toolmount" };
      const script = await tabtab.getCompletionScript({ ...names, shell: name });
      if (json === true) shell.out.json({ shell: name, script });
      else shell.out.line(script.trimEnd());
      shell.end(exitCodes.done);
    });
  addExamples(command, [
    "toolmount completion bash >> ~/.bashrc",
    "toolmount completion zsh >> ~/.zshrc",
    "toolmount completion fish > ~/.config/fish/completions/toolmount.fish",
  ]);
}
