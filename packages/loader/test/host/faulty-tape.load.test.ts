import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseTape } from "@toolmount/tape";
import { expect, onTestFinished, test } from "vitest";
import { brokenDisks, faultsOf, printCounts, runOnDisk, timeout } from "../../../store/test/faulty-disk.ts";

const program = fileURLToPath(new URL("recording-process.ts", import.meta.url));

/** What a recording asks of its disk. */
const calls = ["openat", "write", "close"];

const allOk = Array<string>(6).fill("ok");
const cut = "the recording ends here: a call could not be written";
const unsure = "the end of the recording may not have been written";

test.each(brokenDisks)(
  "a recording over %s, at every step: calls go on, and the tape is whole or is not there",
  timeout,
  async (name, disk) => {
    const folder = mkdtempSync(join(tmpdir(), "toolmount-recording-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const record = async (tape: string, fault?: Parameters<typeof runOnDisk>[2]) => {
      const file = join(folder, tape);
      const words = ["--conditions=@toolmount/source", program, file];
      const run = await runOnDisk({ words, paths: [file] }, calls, fault);
      const said = JSON.parse(run.stdout) as { statuses: string[]; errors: string[] };
      const recorded = existsSync(file) ? parseTape(readFileSync(file, "utf8")).calls.length : null;
      return { run, said, recorded };
    };
    const whole = await record("whole.tape");
    expect(whole).toMatchObject({ run: { code: 0 }, said: { statuses: allOk, errors: [] }, recorded: 6 });

    const ends: string[] = [];
    for (const fault of faultsOf(whole.run, disk, 8)) {
      const { run, said, recorded } = await record(`${fault.call}-${fault.at}.tape`, fault);
      const [error = "none"] = said.errors;
      expect([fault, run.code, said.errors.length]).toEqual([fault, 0, error === "none" ? 0 : 1]);
      if (error === "RECORD_FAILED") expect([fault, said.statuses, recorded]).toEqual([fault, [], null]);
      else expect([fault, said.statuses]).toEqual([fault, allOk]);
      if (error === "none" || error === unsure) expect(recorded).toBe(6);
      if (error === cut) expect(recorded).toBeLessThan(6);
      ends.push(error);
    }

    expect(new Set(ends)).toEqual(new Set(["RECORD_FAILED", cut, unsure]));
    process.stdout.write(`${printCounts(name, whole.run, ends)}\n`);
  },
);
