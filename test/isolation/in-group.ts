// A host that is alone in a delegated group of cgroup v2, as `systemd-run --scope -p Delegate=yes` starts it. Prints what it saw.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import * as workers from "@toolmount/workers";

const [group = ""] = process.argv.slice(2);
const file = `/dev/shm/toolmount-${process.pid}`;
const seconds = 900_000 + process.pid;

function isRunning(text: string): boolean {
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && wordsOf(name).includes(text));
}

/** The command line of a process; empty for one that has ended. */
function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0").join(" ");
  } catch {
    return "";
  }
}

const host = await openHost(
  {
    version: 1,
    tools: [
      {
        module: join(import.meta.dirname, "modules/greedy.mjs"),
        run: { in: "process", border: "none", memoryMb: 160, startTimeoutMs: 600_000 },
      },
    ],
  },
  {
    logger: silentLogger,
    extensions: { "@toolmount/workers": workers },
    limits: { timeoutMs: 600_000, graceMs: 20_000 },
  },
);
const act = (given: Record<string, string | number>) => host.call({ name: "act", arguments: given });
const filled = await act({ act: "fill", file, megabytes: 640 });
const cleared = await act({ act: "clear", file });
const left = await act({ act: "leave", seconds });
const wasLeft = isRunning(`sleep ${seconds}`);
await host.close();
const groups = () => readdirSync(group).filter((name) => name.startsWith("toolmount-"));
for (let round = 0; round < 200 && (isRunning(`sleep ${seconds}`) || groups().length > 1); round++)
  await new Promise((done) => setTimeout(done, 50));
process.stdout.write(
  JSON.stringify({
    filled: filled.result.error,
    ends: [cleared.status, left.status],
    wasLeft,
    isLeft: isRunning(`sleep ${seconds}`),
    groups: groups(),
    oomKills: Number(/^oom_kill (\d+)/m.exec(readFileSync(join(group, "memory.events"), "utf8"))?.[1]),
  }),
);
