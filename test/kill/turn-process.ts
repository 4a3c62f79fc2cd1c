// One turn over a store on disk, in a process that is killed: it says each step on standard output as it takes it.
import { writeSync } from "node:fs";
import { argv, stdout } from "node:process";
import type { SessionStore } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { createTurnWorld } from "./turn-world.ts";

const [, , database = "", baseUrl = "", effects = ""] = argv;
const mark = (step: string) => void writeSync(stdout.fd, `${step}\n`);

const store = await openStore(`sqlite:${database}`);
const append: SessionStore["append"] = async (id, after, entries) => {
  mark("write");
  const done = await store.sessions.append(id, after, entries);
  mark("written");
  return done;
};
const { host, reasoner } = createTurnWorld(
  { ...store, sessions: { ...store.sessions, append } },
  baseUrl,
  effects,
  mark,
);
const turn = await reasoner.run(host, { prompt: "act", sessionId: "s" });
mark(`ended ${turn.status}`);
await host.close();
await store.close();
