import { canOthersRead } from "@toolmount/paths";
import { expect, test } from "vitest";

test("a mode that gives others rights counts, except on Windows, where modes say nothing", () => {
  const modes = [0o600, 0o700, 0o7700, 0o640, 0o620, 0o610, 0o604, 0o602, 0o601];
  expect(modes.map((mode) => canOthersRead(mode, "linux"))).toEqual(modes.map((_, at) => at > 2));
  expect(canOthersRead(0o666, "win32")).toBe(false);
});
