// Undoes a session in a process that kills itself at the step that it was given: before and after each change of a file,
// and before and after each entry of the log of changes.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import process, { argv, kill, pid, stdout } from "node:process";
import type { SessionStore } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { createUndoWorld, placesIn } from "./undo-world.ts";

const [, , base = "", dieAt = "0"] = argv;
let steps = 0;
const step = () => void (++steps === Number(dieAt) && kill(pid, "SIGKILL"));

const changing = ["rename", "unlink", "rmdir", "mkdir", "link", "symlink", "chmod"] as const;
const promises = fs.promises as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
const atOnce = fs as unknown as Record<string, (...given: unknown[]) => unknown>;
for (const name of changing) {
  const [change, changeAtOnce] = [promises[name]!, atOnce[`${name}Sync`]!];
  promises[name] = async (...given) => {
    step();
    const done = await change(...given);
    step();
    return done;
  };
  atOnce[`${name}Sync`] = (...given) => {
    step();
    const done = changeAtOnce(...given);
    step();
    return done;
  };
}
syncBuiltinESMExports();

const { folder, account, database } = placesIn(base);
const store = await openStore(`sqlite:${database}`);
const append: SessionStore["append"] = async (...given) => {
  step();
  const done = await store.sessions.append(...given);
  step();
  return done;
};
const host = await createUndoWorld({ ...store, sessions: { ...store.sessions, append } }, folder, account);
const { stopped } = await host.session("s").undo();
await host.close();
await store.close();
stdout.write(String(steps));
process.exitCode = stopped === null ? 0 : 1;
