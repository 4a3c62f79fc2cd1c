// Two rounds of evaluations that record in one tape: eval-tape-process.ts <file>. Prints how the recording of each ended.
import { argv, stdout } from "node:process";
import { openEvalTape } from "@toolmount/record/internal";
import { printTapeAnswer } from "@toolmount/tape";

/** What each round asks; the second no longer asks the first question. */
const rounds = [
  ["a", "b", "c"],
  ["b", "c", "d"],
];

for (const asked of rounds) {
  const tape = await openEvalTape(argv[2] ?? "");
  const find = tape.createFinder();
  for (const request of asked)
    if (find(request) === null) tape.append(printTapeAnswer({ request, answer: { output: [] } }));
  try {
    tape.end({ keepsAll: false });
    stdout.write("recorded\n");
  } catch (error) {
    stdout.write(`${(error as { readonly code: string }).code}\n`);
  }
}
