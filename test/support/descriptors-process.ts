// A host in a process that has no file descriptors left, and then has some again. Its argument is the folder of the plan.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import * as interop from "@toolmount/interop";
import { openHost } from "@toolmount/loader";
import * as mcp from "@toolmount/mcp";
import * as policy from "@toolmount/policy";
import * as workers from "@toolmount/workers";

const folder = process.argv[2]!;
const extensions = {
  "@toolmount/interop": interop,
  "@toolmount/mcp": mcp,
  "@toolmount/policy": policy,
  "@toolmount/workers": workers,
};
const host = await openHost(join(folder, "plan.yaml"), { extensions });
const calls = [
  ["bash", { command: "echo hi" }],
  ["glob", { pattern: "*.yaml" }],
  ["far_add", { a: 1, b: 2 }],
  ["note", {}],
  ["hi", {}],
] as const;

async function callAll() {
  const said: Record<string, string> = {};
  for (const [name, given] of calls) {
    const { status, result } = await host.call({ name, arguments: given }, {});
    said[name] = status === "ok" ? "ok" : `${status}: ${String(result.error)}`;
  }
  return said;
}

// The border around commands is proved at the first call.
await host.call({ name: "bash", arguments: { command: "true" } });
const opened: number[] = [];
for (;;) {
  try {
    opened.push(openSync("/dev/null", "r"));
  } catch {
    break;
  }
}
const without = await callAll();
for (const descriptor of opened) closeSync(descriptor);
const withSome = await callAll();
await host.close();
process.stdout.write(JSON.stringify({ without, withSome }));
