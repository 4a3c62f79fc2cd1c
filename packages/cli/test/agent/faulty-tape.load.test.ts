import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseTape, printTapeAnswer, tapeHeader } from "@toolmount/tape";
import { expect, onTestFinished, test } from "vitest";
import { brokenDisks, faultsOf, printCounts, runOnDisk, timeout } from "../../../store/test/faulty-disk.ts";
import { addToHistory, readHistory } from "../../src/commands/agent/eval.ts";
import { openEvalTape } from "@toolmount/record/internal";
import { openHistory } from "../../src/agent/chat-history.ts";

const program = fileURLToPath(new URL("../support/eval-tape-process.ts", import.meta.url));

/** What a recording asks of its disk. */
const calls = ["openat", "read", "write", "ftruncate", "rename"];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "toolmount-tape-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const requestsIn = (file: string) =>
  parseTape(readFileSync(file, "utf8")).answers.map(({ request }) => request);

test.each(brokenDisks)(
  "a tape of evaluations over %s, at every step: what it reports as recorded is there, and it can be recorded again",
  timeout,
  async (name, disk) => {
    const record = (file: string) => ({
      words: ["--conditions=@toolmount/source", program, file],
      paths: [file, `${file}.new`],
    });
    const first = join(folder(), "evals.tape");
    const whole = await runOnDisk(record(first), calls);
    expect(whole).toMatchObject({ code: 0, stdout: "recorded\nrecorded\n" });
    expect(requestsIn(first)).toEqual(["b", "c", "d"]);

    const ends: string[] = [];
    for (const fault of faultsOf(whole, disk, 4)) {
      const file = join(folder(), "evals.tape");
      const { code, stdout } = await runOnDisk(record(file), calls, fault);
      const last = stdout.trimEnd().split("\n").at(-1)!;
      if (code === 0 && last === "recorded") expect(requestsIn(file)).toEqual(["b", "c", "d"]);
      ends.push(last);

      const again = await runOnDisk(record(file), calls);
      expect([fault, again.stdout, requestsIn(file)]).toEqual([
        fault,
        "recorded\nrecorded\n",
        ["b", "c", "d"],
      ]);
    }
    expect(ends).toContain("RECORD_FAILED");
    process.stdout.write(`${printCounts(name, whole, ends)}\n`);
  },
);

test.each([
  ["a line", `${tapeHeader}\n${printTapeAnswer({ request: "a", answer: { output: [] } })}\n`, ["a", "z"]],
  ["the header", `${tapeHeader}\n`, ["z"]],
])("a tape of a process that was killed in the middle of %s is recorded on", async (_, text, requests) => {
  const file = join(folder(), "evals.tape");
  const cut = text.trimEnd().split("\n").length === 1 ? text.slice(0, 12) : `${text}{"request":"b","answ`;
  writeFileSync(file, cut);

  const tape = await openEvalTape(file);
  tape.append(printTapeAnswer({ request: "z", answer: { output: [] } }));
  tape.end({ keepsAll: true });

  expect(requestsIn(file)).toEqual(requests);
});

test("a history of evaluations has every run but one that was written in part", async () => {
  const file = join(folder(), "history");
  const run = (passRate: number) => ({ passRate, tools: {} });
  addToHistory(file, run(1));
  addToHistory(file, run(0.5));
  truncateSync(file, readFileSync(file).length - 5);

  expect(await readHistory(file)).toEqual([run(1)]);
  addToHistory(file, run(0.25));

  expect(await readHistory(file)).toEqual([run(1), run(0.25)]);
});

test("the history of a chat loses no line but one that was written in part, however long that is", async () => {
  const place = folder();
  const open = () => openHistory(place, () => expect.unreachable());
  await (await open()).add("first");
  appendFileSync(join(place, ".toolmount", "chat-history"), `"${"x".repeat(10_000)}`);
  await (await open()).add("second");

  expect((await open()).lines).toEqual(["second", "first"]);
});
