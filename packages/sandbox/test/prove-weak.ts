// Proves sandboxes that lack a protection: prove-weak.ts <weakness> <home>. Prints the proof.
import { argv, env, stdout } from "node:process";
import { proveInPlace } from "../src/system/prove-sandbox.ts";
import { weaknesses } from "./weaknesses.ts";

const [, , name = "", HOME] = argv;
const { kind = "closed", weaken } = weaknesses[name]!;
stdout.write(JSON.stringify(await proveInPlace({ kind, env: { PATH: env["PATH"], HOME } }, weaken)));
