import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("../../src/far/without-signals.ts", import.meta.url));

/** What each way to send a signal does in a process without them. */
const script = `
  import { spawn } from "node:child_process";
  import * as imported from "node:process";
  import { withoutSignals } from ${JSON.stringify(file)};
  withoutSignals();
  const child = spawn(process.execPath, ["-e", ""]);
  const attempts = {
    "process.kill": () => process.kill(process.pid, 0),
    "process._kill": () => process._kill(process.pid, 0),
    "process._debugProcess": () => process._debugProcess(process.pid),
    "process._debugEnd": () => process._debugEnd(),
    "an import": () => imported.kill(process.pid, 0),
    "a child": () => child.kill(0),
    "a new function": () => { process.kill = () => {}; },
    "another member": () => Object.defineProperty(process, "kill", { value: () => {} }),
  };
  const found = {};
  for (const [name, attempt] of Object.entries(attempts))
    try { attempt(); found[name] = "done"; } catch (error) { found[name] = [error.code ?? error.name, error.message]; }
  console.log(JSON.stringify(found));
`;

test("a process without signals can send none, in no way that Node has, and cannot get them back", async () => {
  const words = ["--conditions=@toolmount/source", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const denied = ["ERR_ACCESS_DENIED", "a signal cannot be sent behind this border"];
  expect(JSON.parse(stdout)).toEqual({
    "process.kill": denied,
    "process._kill": denied,
    "process._debugProcess": denied,
    "process._debugEnd": denied,
    "an import": denied,
    "a child": denied,
    "a new function": ["TypeError", expect.stringContaining("read only property 'kill'")],
    "another member": ["TypeError", "Cannot redefine property: kill"],
  });
});
