import type { Command } from "commander";
import { addExamples } from "../../options/common.ts";

/** `toolmount package`: groups the commands for packages of tools. */
export function define(command: Command): void {
  addExamples(command, ["toolmount package create tool weather", "toolmount package validate weather"]);
}
