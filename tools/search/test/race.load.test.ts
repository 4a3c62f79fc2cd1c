import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGlob, createGrep } from "@toolmount/tool-search";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "./scratch.ts";

// More with TOOLMOUNT_LONG=1, as before a release; takes minutes.
const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const searches = isLong ? 20_000 : 400;
const canary = "OUTSIDE-4417";

test(
  `links turned all the while under ${searches} searches tell nothing of what lies outside`,
  { timeout: isLong ? 1_800_000 : 120_000 },
  async () => {
    const folder = await startTurning();
    const settings = { working_dir: folder.path("work"), exclusions: [] };
    const grep = createGrep(settings);
    const glob = createGlob(settings);
    const acts = [
      (path: string) => grep.execute({ pattern: "needle", path, output_mode: "content", "-C": 1 }),
      (path: string) => grep.execute({ pattern: "needle", path, output_mode: "count" }),
      (path: string) => grep.execute({ pattern: "needle", path }),
      (path: string) => glob.execute({ pattern: "**", path, type: "any" }),
    ];
    const paths = ["swap", "leaf.txt", "swap/sub", "flip", ".", "swap/secret.txt"];
    let reported = 0;
    let refused = 0;
    for (let done = 0; done < searches; done += 4) {
      const answers = await Promise.all(acts.map((act) => act(paths[(done / 4) % paths.length]!)));
      for (const answer of answers) {
        const text = JSON.stringify(answer.data ?? "");
        expect(text).not.toContain(canary);
        // A name that is only outside, lines that are only there, and their number.
        expect(text).not.toMatch(/secret\.txt|"line_number":[4-9]|\.txt":[2-9]/);
        if (text.includes("inside.txt") || text.includes("leaf.txt")) reported++;
        if (answer.code === "ACCESS_DENIED") refused++;
      }
    }

    // Both sides of the turning links were met: else nothing was tried.
    expect(reported).toBeGreaterThan(searches / 100);
    expect(refused).toBeGreaterThan(searches / 100);
  },
);

/** `work` with links that turn between its own folders and `secret`, which has files of the same names and more. */
async function startTurning() {
  const folder = scratch();
  for (const at of ["work/real/sub", "work/swap/sub", "secret/sub"])
    mkdirSync(folder.path(at), { recursive: true });
  for (const at of ["work/real", "work/swap", "work/real/sub", "work/swap/sub"])
    writeFileSync(folder.path(join(at, "inside.txt")), "INSIDE 0 needle\n");
  for (const at of ["secret", "secret/sub"])
    for (const name of ["inside.txt", "leaf.txt", "secret.txt"])
      writeFileSync(folder.path(join(at, name)), `${canary} needle\n\n\nneedle ${canary}\nneedle\n`);
  writeFileSync(folder.path("work/leaf.txt"), "INSIDE 0 needle\n");
  symlinkSync("real", folder.path("work/flip"));
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.resolve("./flip.mjs")), folder.path("work"), folder.path("secret")],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await once(child.stdout, "data");
  return folder;
}
