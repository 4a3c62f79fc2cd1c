// Runs commands in an isolation, as the user who starts it: run-commands.ts <folder> <isolation> <command> …
// It prints the standard output and the return code of each, as JSON.
import { argv, stdout } from "node:process";
import { createShell, type Settings } from "@toolmount/tool-bash";

const [, , folder = "", isolation = "", ...commands] = argv;
const { bash, close } = createShell({
  working_dir: folder,
  isolation: isolation as NonNullable<Settings["isolation"]>,
  safety_profile: "unrestricted",
});
const ends: unknown[] = [];
for (const command of commands) ends.push(await bash.execute({ command }));
await close();
stdout.write(JSON.stringify(ends));
