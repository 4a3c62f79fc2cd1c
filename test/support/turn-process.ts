// One turn over a store on disk, in a process that is killed: it says each step on standard output as it takes it, and
// kills itself at the step that it was given, by number or by name, so that every step is hit exactly, too.
import { writeSync } from "node:fs";
import { argv, kill, pid, stdout } from "node:process";
import { isToolmountError, type SessionStore } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { createTurnWorld } from "./turn-world.ts";

const [, , act = "run", database = "", baseUrl = "", effects = "", dieAt = "0", model] = argv;
let steps = 0;
const mark = (step: string) => {
  writeSync(stdout.fd, `${step}\n`);
  if (++steps === Number(dieAt) || step.startsWith(dieAt)) kill(pid, "SIGKILL");
};

const store = await openStore(`sqlite:${database}`);
const append: SessionStore["append"] = async (id, after, entries) => {
  const kinds = entries.map((entry) => (entry as { kind: string }).kind).join("+");
  mark(`recording ${kinds}`);
  const done = await store.sessions.append(id, after, entries);
  mark(`recorded ${kinds}`);
  return done;
};
const { host, reasoner } = createTurnWorld(
  { ...store, sessions: { ...store.sessions, append } },
  baseUrl,
  effects,
  mark,
  model,
);
try {
  const { status, text, calls } = await (act === "run"
    ? reasoner.run(host, { prompt: "act", sessionId: "s" })
    : reasoner.resume(host, { sessionId: "s" }));
  mark(`result ${JSON.stringify({ status, text, calls })}`);
} catch (error) {
  if (!isToolmountError(error) || !["SESSION_NOT_FOUND", "SESSION_CONFLICT"].includes(error.code))
    throw error;
}
mark("ended");
await host.close();
await store.close();
