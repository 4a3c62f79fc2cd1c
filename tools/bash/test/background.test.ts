import { expect, test } from "vitest";
import { leftInBackground } from "../src/tools/bash.ts";

test.each([
  ["sleep 60 & echo started", ["sleep 60"]],
  ["npm run dev >log 2>&1 &", ["npm run dev >log 2>&1"]],
  ["a && b", []],
  ["echo 'a & b' 2>&1", []],
  ["build & test & wait", []],
  ["(", []],
])("the script %j leaves %j in the background", (script, left) => {
  expect(leftInBackground(script)).toEqual(left);
});
