import type { Command } from "commander";
import { addExamples } from "../../options/common.ts";
import type { Shell } from "../../process/shell.ts";
import { define as defineValidate } from "./validate.ts";

/** `toolmount package validate <path> --type tool`: the long name of `validate`. */
export function define(command: Command, shell: Shell): void {
  defineValidate(command.command("validate").description("Check a tool module against the contract."), shell);
  addExamples(command, ["toolmount package validate tools/hello-world --type tool"]);
}
