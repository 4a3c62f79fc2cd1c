import type { Command } from "commander";
import { addExamples } from "../../options/common.ts";

/** `toolmount package`: what is done to packages of tools; each part is a command of its own. */
export function define(command: Command): void {
  addExamples(command, ["toolmount package create tool weather", "toolmount package validate weather"]);
}
