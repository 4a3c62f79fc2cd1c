// Makes the calls of an approved list in a process that kills itself at the step that it was given: before and after each
// booking, and before and after each entry of a session's log.
import process, { argv, kill, pid, stdout } from "node:process";
import type { SessionStore } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { createListWorld } from "./list-world.ts";

const [, , base = "", ticket = "", dieAt = "0"] = argv;
let steps = 0;
const step = () => void (++steps === Number(dieAt) && kill(pid, "SIGKILL"));

const store = await openStore(`sqlite:${base}/state.db`);
const append: SessionStore["append"] = async (...given) => {
  step();
  const done = await store.sessions.append(...given);
  step();
  return done;
};
const host = createListWorld({ ...store, sessions: { ...store.sessions, append } }, `${base}/account`, step);
const { status } = await host.resume(ticket, { sessionId: "s" });
await host.close();
await store.close();
stdout.write(String(steps));
process.exitCode = status === "ok" ? 0 : 1;
