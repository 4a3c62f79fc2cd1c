import type { Row } from "./row.ts";
import { answers } from "./rows/answers.ts";
import { changes } from "./rows/changes.ts";
import { deaths } from "./rows/deaths.ts";
import { texts } from "./rows/texts.ts";
import { threads } from "./rows/threads.ts";
import { turns } from "./rows/turns.ts";

/** The rows by topic, in the order of the report. */
export const families: Readonly<Record<string, readonly Row[]>> = {
  answers,
  threads,
  "turns, limits and sub-agents": turns,
  "other processes, and deaths": deaths,
  "what changes meanwhile": changes,
  "arguments and results": texts,
};

export const rows: readonly Row[] = Object.values(families).flat();
