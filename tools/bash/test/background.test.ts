import { expect, test } from "vitest";
import { leftInBackground } from "../src/tools/left-behind.ts";

test.each([
  ["sleep 60 & echo started", ["sleep 60"]],
  ["npm run dev >log 2>&1 &", ["npm run dev >log 2>&1"]],
  ["a && b", []],
  ["echo 'a & b' 2>&1", []],
  ["build & test & wait", []],
  ["(", []],
  ["sleep 60 & echo 'wait for it'", ["sleep 60"]],
  ["wait; sleep 60 &", ["sleep 60"]],
  ["build & wait &", ["build", "wait"]],
  ["(sleep 60 &); echo done", ["sleep 60"]],
  ["for port in 1 2; do serve $port & done", ["serve $port"]],
  ["if a; then { b & }; fi", ["b"]],
  ["for f in a b; do sleep 1 & done; wait", []],
  ["(a & b) & c", ["(a & b)"]],
])("the script %j leaves %j in the background", (script, left) => {
  expect(leftInBackground(script)).toEqual(left);
});
