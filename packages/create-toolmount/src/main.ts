// `npm create toolmount`: starts `toolmount init` with the same words, at the same terminal.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const manifest = import.meta.resolve("toolmount/package.json");
const { bin } = JSON.parse(readFileSync(new URL(manifest), "utf8")) as { bin: Record<string, string> };
const command = fileURLToPath(new URL(bin["toolmount"] ?? "", manifest));

// The terminal sends Ctrl-C to the command, too. It ends first, and this process ends as it did.
process.on("SIGINT", () => {});
const child = spawn(process.execPath, [command, "init", ...process.argv.slice(2)], { stdio: "inherit" });
child.on("error", ({ message }) => {
  process.stderr.write(`create-toolmount: ${command} cannot be started: ${message}\n`);
  process.exitCode = 1;
});
child.on("close", (code) => (process.exitCode = code ?? 1));
