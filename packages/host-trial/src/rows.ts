import type { Row } from "./row.ts";
import { answers } from "./rows/answers.ts";
import { deaths } from "./rows/deaths.ts";
import { texts } from "./rows/texts.ts";
import { threads } from "./rows/threads.ts";

/** All rows, in the order of the report. */
export const rows: readonly Row[] = [...answers, ...threads, ...deaths, ...texts];
