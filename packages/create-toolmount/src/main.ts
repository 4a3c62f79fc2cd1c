// `npm create toolmount`: is `toolmount init` with the same words, in the same process.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const manifest = import.meta.resolve("toolmount/package.json");
const { bin } = JSON.parse(readFileSync(new URL(manifest), "utf8")) as { bin: { toolmount: string } };
const command = new URL(bin.toolmount, manifest);
process.argv.splice(1, 1, fileURLToPath(command), "init");
await import(command.href);
