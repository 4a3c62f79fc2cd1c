// Takes memory that no process maps, and leaves a process that no parent knows.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { z } from "zod";

const block = Buffer.alloc(16 * 1024 * 1024, 1);

const acts = {
  fill({ file, megabytes }) {
    const written = openSync(file, "w");
    try {
      for (let left = megabytes; left > 0; left -= 16) writeSync(written, block);
    } finally {
      closeSync(written);
    }
  },
  leave({ seconds }) {
    spawnSync("sh", ["-c", `setsid sleep ${seconds} & exit 0`], { stdio: "ignore" });
  },
  clear({ file }) {
    rmSync(file, { force: true });
  },
};

export function mount() {
  return {
    name: "act",
    description: "Acts. Use it in tests.",
    category: "write",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: z.looseObject({ act: z.enum(["fill", "leave", "clear"]) }),
    execute({ act, ...given }) {
      acts[act](given);
      return { data: act };
    },
  };
}
