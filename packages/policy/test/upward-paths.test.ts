import { expect, test } from "vitest";
import { fitsArguments } from "../src/match/pattern.ts";
import { fitsText } from "../src/match/tool-pattern.ts";

const how = (isAllow: boolean) => ({
  isShell: false,
  members: isAllow ? ("every" as const) : ("some" as const),
});
const out = ["src/../../etc/passwd", "src/x/../../y", "src/..", "src\\..\\..\\x"];

test.each(out)("an allowed folder does not allow %s, which leaves it", (path) => {
  expect(fitsText("src*", path, how(true))).toBe(false);
  expect(fitsText("src*", [path], how(true))).toBe(false);
  expect(fitsText("src*", path, how(false))).toBe(true);
});

test("a line that names a way upwards itself, and names with dots, are allowed as before", () => {
  expect(fitsText("../a/*", "../a/b", how(true))).toBe(true);
  for (const path of ["src/a..b", "src/...", "src/a/b.ts", "src/..x"])
    expect(fitsText("src/*", path, how(true))).toBe(true);
});

test("a rule that allows a folder does not allow a way out of it", () => {
  for (const path of out) {
    expect(fitsArguments({ path: "src*" }, { path }, "every")).toBe(false);
    expect(fitsArguments({ path: "src*" }, { path: [path] }, "every")).toBe(false);
    expect(fitsArguments({ path: "!src*" }, { path }, "some")).toBe(true);
  }
});
