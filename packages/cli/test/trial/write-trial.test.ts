import { expect, test } from "vitest";
import { writeTrial } from "../../src/trial/write-trial.ts";
import { markedScreen } from "../support/marked-screen.ts";

const one = { name: "read_note", category: "read", consequence: "low", asks: false, tokens: 7 };
const two = { name: "drop", category: "delete", consequence: "high", asks: true, tokens: 12 };
const three = { name: "bare", asks: "dynamic", tokens: 1234567 };

async function written(trial: object): Promise<readonly string[]> {
  const { screen, lines } = markedScreen();
  const nothing = { tools: [], missing: [], run: undefined };
  await writeTrial({ ...nothing, ...trial } as never, { out: screen, err: screen } as never);
  return lines();
}

const title = "dim(tool)          dim(kind)dim(consequence)dim(question) dim(tokens)";
const row = "  bold(read_note)  read  low          does not ask       7";
const sum = "  1 tool, 7 tokens in each request that offers all of them";

test("a trial that showed nothing writes nothing", async () => {
  expect(await written({})).toEqual([]);
});

test("each tool is a row, with whether it asks, and below them is what all of them cost", async () => {
  expect(await written({ tools: [one, two, three] })).toEqual([
    "dim(tool)          dim(kind)     dim(consequence)dim(question)           dim(tokens)",
    "  bold(read_note)  read          low          does not ask                 7",
    "  bold(drop)       delete        high         asks                        12",
    "  bold(bare)       unclassified  unknown      asks, by its arguments  1234567",
    "  3 tools, 1234586 tokens in each request that offers all of them",
  ]);
});

test("one tool is counted as one", async () => {
  expect(await written({ tools: [one] })).toEqual([title, row, sum]);
});

test("what the module needs and does not have is written first, each with what to do", async () => {
  const missing = [{ message: "KEY is not set" }, { message: "PORT is not set" }];

  expect(await written({ missing, tools: [one] })).toEqual([
    "yellow(  ⚠ not tried: KEY is not set; set it, then run toolmount check)",
    "yellow(  ⚠ not tried: PORT is not set; set it, then run toolmount check)",
    title,
    row,
    sum,
  ]);
});

test.each([
  [{ in: "process" }, ["  calls run in a process, without a border"]],
  [
    { in: "process", border: "bubblewrap" },
    [
      "  calls run in a process, behind bubblewrap",
      "  the border denies: the network, files but its own code, writing, variables of the host; run: in the plan's entry allows more",
    ],
  ],
])("of the border of %j is written where calls run and what it denies", async (run, lines) => {
  expect(await written({ run })).toEqual(lines);
});
