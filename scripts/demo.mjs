// What `npm run demo` shows, on this repository: the tools of a plan, and what becomes of a call.
// Needs no answer from anyone. Run with the workspace built, or with `node -C @toolmount/source`.
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { openHost } from "@toolmount/loader";
import { outcomeHeadline } from "../packages/cli/src/render/outcome.ts";
import { printable, printableLines } from "../packages/cli/src/screen/printable.ts";
import { createScreen } from "../packages/cli/src/screen/screen.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const plan = "mount-plans/demo.yaml";
const note = ".scratch/demo/note.txt";
const screen = createScreen(process.stdout, process.env);
const events = [];

console.log(
  "\nHow calls end, on this repository, without a model, a key or the network: each is parsed, decided,\n" +
    "bounded, reported and answered. It takes some seconds and writes only to a scratch folder.",
);
await mkdir(join(root, dirname(note)), { recursive: true });
await writeFile(join(root, note), "The tools are mounted by hand.\n");

title("The tools that a plan mounts", `toolmount list ${plan}`);
toolmount("list", plan);

const host = await openHost(plan, { cwd: root });
host.coordinator.hooks.observe("*", (event, data) => void events.push({ event, data }));
let failed = false;

title("A read of this repository");
const read = await call("ok", "read_file", { file_path: "README.md", limit: 3 });
show(read.result.data?.content);

title("An edit, in the scratch folder that the plan allows");
await call("ok", "edit_file", { file_path: note, old_string: "by hand", new_string: "by a plan" });
show(await readFile(join(root, note), "utf8"));

title("A path that the plan does not allow");
await call("failed", "edit_file", { file_path: "README.md", old_string: "a", new_string: "b" });

title("Arguments that do not fit: what a model reads, to correct its call");
await call("invalid", "read_file", '{"path": "README.md", "limit": "ten"}');

title("A tool that takes 60 s, under a plan that allows 200 ms");
await call("timed_out", "testing_delay", { milliseconds: 60_000 });

title("A tool that needs approval, without an approver");
await call("denied", "delete_file", { path: note });

title("The same, with an approver in code");
host.coordinator.mount("approver", {
  ask: ({ arguments: { path } }) =>
    path === note ? { decision: "approve", by: "the demo" } : { decision: "deny", reason: "not ours" },
});
await call("ok", "delete_file", { path: note });

await host.close();
title("What an observer of all events saw");
for (const { event, data } of events) showEvent(event, data);

await writeFile(join(root, note), "The tools are mounted by hand.\n");
const turn = [
  plan,
  "--model",
  "replay:mount-plans/demo.exchange.json",
  "Correct the note, and the README's heading",
];
title("A turn of a model, from a recorded exchange", `toolmount run ${plan} --model replay:… "…"`);
toolmount("run", ...turn);
if (!(await readFile(join(root, note), "utf8")).includes("by a plan")) failed = true;

title("Yours now");
const tries = [
  ["a call of your own", `call ${plan} read_file '{"file_path":"LICENSE"}'`],
  ["a call that asks you first", `call ${plan} delete_file '{"path":"${note}"}'`],
  ["which line decides on a tool", `why ${plan} delete_file`],
  ["with a model; the key is OPENAI_API_KEY", `run ${plan} --model gpt-5 "What is this repository?"`],
];
for (const [what, words] of tries) {
  console.log(`  ${screen.paint("dim", what)}`);
  console.log(`    ${screen.paint("cyan", `node_modules/.bin/toolmount ${words}`)}`);
}
if (failed) console.error("\nsomething above did not end as it should");
process.exitCode = failed ? 1 : 0;

/** Makes one call, shows it and how it ended, and remembers when that was not as it should be. */
async function call(expected, name, given) {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  console.log(`  ${screen.paint("dim", "→")} ${name} ${screen.paint("dim", printable(text))}`);
  const outcome = await host.call({ name, arguments: given }, { sessionId: "demo", userId: "ada" });
  console.log(`  ${outcomeHeadline(screen, outcome)}`);
  if (outcome.result.error !== undefined) show(outcome.result.error);
  if (outcome.status !== expected) failed = true;
  return outcome;
}

function title(text, command) {
  const hint = command === undefined ? "" : ` ${screen.paint("dim", `$ ${command}`)}`;
  console.log(`\n${screen.paint("bold", text)}${hint}`);
}

function show(text = "") {
  for (const line of printableLines(text).trimEnd().split("\n")) console.log(`    ${line}`);
}

function showEvent(event, data) {
  const by = data.by === undefined ? "" : `by ${data.by}`;
  const path = data.path === undefined ? "" : relative(root, data.path);
  const parts = [data.tool_name, data.decision, data.status, data.error?.code, by, path].filter(Boolean);
  const colour = { "tool:error": "red", "tool:post": "green" }[event] ?? "cyan";
  console.log(`  ${screen.paint(colour, event.padEnd(18))} ${printable(parts.join(" · "))}`);
}

/** Runs the command as a process of its own, as anybody would. */
function toolmount(...words) {
  const entry = process.execArgv.includes("@toolmount/source") ? "src/main.ts" : "bin/toolmount.js";
  const command = [...process.execArgv, join(root, "packages/cli", entry), ...words];
  const { status } = spawnSync(process.execPath, command, {
    cwd: root,
    stdio: ["ignore", process.stdout.fd, process.stdout.fd],
  });
  if (status !== 0) process.exit(status ?? 1);
}
