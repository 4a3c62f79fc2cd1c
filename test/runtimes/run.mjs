// Runs the checks of the modules that its words name, in whatever runtime it is started.
import process from "node:process";
import { runChecks } from "./checks.mjs";

for (const word of process.argv.slice(2)) await runChecks((await import(word)).checks);
process.exit(0);
