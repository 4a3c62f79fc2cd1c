import { expect, test } from "vitest";
import { namesDate } from "../src/flows/dates.ts";

test.each<[string, string, boolean | null]>([
  ["2026-05-05", "on 5 may", true],
  ["2026-05-05", "on 05 may", true],
  ["2026-05-05", "on the 5th of may", true],
  ["2026-05-05", "on 5th, may", true],
  ["2026-05-05", "on 25 may", false],
  ["2026-05-05", "on 5 mayor", false],
  ["2026-12-01", "on december 1st", true],
  ["2026-12-01", "on dec. the 1st", true],
  ["2026-12-01", "on december, 1", true],
  ["2026-12-01", "on december 10", false],
  ["2026-00-01", "on december 1", false],
  ["2026-03-02", "from the 2nd to the 4th of march", true],
  ["2026-03-04", "from the 2nd to the 4th of march", true],
  ["2026-03-04", "march 2 - 4", true],
  ["2026-03-02", "march 2nd until the 4th", true],
  ["2026-03-04", "march 2 through 4", true],
  ["2026-03-04", "march 2 and 4", true],
  ["2026-03-04", "march 2 till 4", true],
  ["2026-03-02", "2–4 march", true],
  ["2026-03-04", "march 2 or 4", false],
  ["2026-03-04", "2026/3/4", true],
  ["2026-03-04", "2026.03.04", true],
  ["2026-03-04", "2026-3-45", false],
  ["2026-03-04", "3/4/2026", true],
  ["2026-03-04", "04.03.2026", true],
  ["2026-03-04", "04-03-2026", false],
  ["2026-03-04", "13/4/2026", false],
  ["2026-03-04T09:30", "march 4 at 9:30", true],
  ["2026-03-04T09:30", "march 4 at 09.30", true],
  ["2026-03-04T09:30", "march 4 at 9.30 am", true],
  ["2026-03-04T09:30", "march 4 at 9 am", false],
  ["2026-03-04T09:30", "march 4 at 19:30", false],
  ["2026-03-04T21:30:15Z", "march 4 at 9:30 p.m.", true],
  ["2026-03-04T21:30", "march 4 at 9:30 am", false],
  ["2026-03-04T21:00", "march 4 at 9pm", true],
  ["2026-03-04T21:00", "march 4 at 9:00 pm", true],
  ["2026-03-04T21:00", "march 4 at 21h", true],
  ["2026-03-04T21:00", "march 4 at 21:001", false],
  ["2026-03-04T12:00", "march 4 at midday", true],
  ["2026-03-04T12:00", "march 4 at 12 pm", true],
  ["2026-03-04T12:30", "march 4 at noon", false],
  ["2026-03-04T11:00", "march 4 at noon", false],
  ["2026-03-04T00:00", "march 4", true],
  ["2026-03-04T00:15", "march 4 at 12:15 am", true],
  ["2026-03-04T12", "march 4", null],
  ["on 2026-03-04", "march 4", null],
  [" 2026-3-4 ", "march 4", true],
])("%s is named by %j: %s", (value, text, named) => {
  expect(namesDate(value, text)).toBe(named);
});

test.each(
  "january february march april may june july august september october november december"
    .split(" ")
    .map((name, at) => [name, at + 1] as const),
)("%s is month %i, also with three letters", (name, month) => {
  const day = `2026-${month}-7`;
  const short = name.slice(0, 3);
  expect([name, short, `${short}.`].map((word) => namesDate(day, `on 7 ${word} at noon`))).toEqual([
    true,
    true,
    true,
  ]);
  expect(namesDate(day, `on 7 ${name.slice(0, 2)}`)).toBe(false);
});
