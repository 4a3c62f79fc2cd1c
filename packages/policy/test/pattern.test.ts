import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitsArguments, fitsName } from "../src/match/pattern.ts";

const others = [null, {}, { a: 1 }, [["x"]], [{ a: 1 }]];

describe("a pattern after a !", () => {
  const text = fc.stringMatching(/^[ab*]{0,4}$/);
  const value = fc.oneof(fc.stringMatching(/^[ab]{0,4}$/), fc.integer(), fc.boolean());
  const values = fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));

  test("denies what is not allowed without it, and allows what is not denied without it", () => {
    fc.assert(
      fc.property(text, values, (pattern, given) => {
        const fits = (wanted: string, members: "some" | "every") =>
          fitsArguments({ a: wanted }, { a: given }, members);

        expect(fits(`!${pattern}`, "some")).toBe(!fits(pattern, "every"));
        expect(fits(`!${pattern}`, "every")).toBe(!fits(pattern, "some"));
      }),
    );
  });

  test.each(others)("denies %j, which no text can be compared with, and does not allow it", (given) => {
    expect(fitsArguments({ a: "!x" }, { a: given }, "some")).toBe(true);
    expect(fitsArguments({ a: "!x" }, { a: given }, "every")).toBe(false);
  });

  test("of a list must not match, while one of the others must", () => {
    const fits = (a: string) => fitsArguments({ a: ["x*", "y*", "!*z"] }, { a }, "some");

    expect(["x", "y", "w", "xz"].map(fits)).toEqual([true, true, false, false]);
    expect(fitsArguments({ a: ["!x", "!y"] }, { a: "y" }, "some")).toBe(false);
    expect(fitsArguments({ a: ["!x", "!y"] }, { a: "w" }, "some")).toBe(true);
  });

  test("a \\! is the sign itself, and an argument that is not there does not match", () => {
    expect(fitsArguments({ a: String.raw`\!x` }, { a: "!x" }, "some")).toBe(true);
    expect(fitsArguments({ a: "!x" }, {}, "some")).toBe(false);
    expect(fitsArguments({ a: "!x" }, { a: [] }, "some")).toBe(false);
  });
});

describe("a comparison", () => {
  test.each([
    ["> 5", [false, false, true]],
    [">= 5", [false, true, true]],
    ["< 5", [true, false, false]],
    ["<=5", [true, true, false]],
  ])("%s of 4.5, 5 and 5.5 is %j", (a, fits) => {
    expect([4.5, 5, 5.5].map((given) => fitsArguments({ a }, { a: given }, "some"))).toEqual(fits);
  });

  test.each(["9", true, ...others])("denies %j, which is no number, and does not allow it", (given) => {
    expect(fitsArguments({ a: "> 5" }, { a: given }, "some")).toBe(true);
    expect(fitsArguments({ a: "> 5" }, { a: given }, "every")).toBe(false);
  });

  test("of a list is true for one member to deny, and for every member to allow", () => {
    expect(fitsArguments({ a: "> -1.5" }, { a: [1, -2] }, "some")).toBe(true);
    expect(fitsArguments({ a: "> -1.5" }, { a: [1, -2] }, "every")).toBe(false);
    expect(fitsArguments({ a: "> -1.5" }, { a: [1, 2] }, "every")).toBe(true);
  });
});

test.each([
  ["!ana", "bo", true, true],
  ["!ana", "ana", false, false],
  ["!ana", undefined, true, false],
  [["!ana", "!bo"], "bo", false, false],
  [["guest*", "!guest-1"], "guest-2", true, true],
  [["guest*", "!guest-1"], "guest-1", false, false],
  [["guest*", "!guest-1"], undefined, false, false],
])("%j and the user %j: denied %j, allowed %j", (globs, user, denied, allowed) => {
  expect(fitsName(globs, user, "some")).toBe(denied);
  expect(fitsName(globs, user, "every")).toBe(allowed);
});
