import { describe, expect, test } from "vitest";
import { interpolate, readReferences } from "../../src/plan/interpolate.ts";

/** What a variable of this value is: a secret, a guess, or neither. */
function kindOf(value: string, { name = "VALUE", key = "key" } = {}): string {
  const { secrets, guesses } = interpolate({ [key]: `\${${name}}` }, new Map(), { [name]: value });
  return [...secrets.map((one) => `secret ${one}`), ...guesses.map((one) => `guess ${one}`)].join(", ");
}

describe("a value of a variable", () => {
  test.each([
    ["two words", ""],
    ["under_score and-dash.dot", ""],
    ["123456", ""],
    ["1.2.3", ""],
    ["1234567", "guess 1234567"],
    ["/home/ada", ""],
    ["./here", ""],
    ["../there", ""],
    ["~/mine", ""],
    ["C:\\Users", ""],
    ["https://a.example/x", ""],
    ["https://a.example/x?token=1", "guess https://a.example/x?token=1"],
    ["localhost:8080", ""],
    ["a b c 1", "guess a b c 1"],
    ["abc123", "guess abc123"],
    ["abcdefgh1234567", "guess abcdefgh1234567"],
    ["abcdefgh12345678", "secret abcdefgh12345678"],
    ["abcdefgh 12345678", "guess abcdefgh 12345678"],
    ["abcdefghijklmnop", ""],
    ["1234567890123456", "guess 1234567890123456"],
    ["postgres://ada:hunter2@db/x", "secret hunter2, guess postgres://ada:hunter2@db/x"],
    ["postgres://ada@db/x", "guess postgres://ada@db/x"],
    ["redis://:hunter2@db", "secret hunter2, guess redis://:hunter2@db"],
  ])("%j is %j", (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });

  test("is a secret where its name or its key says so", () => {
    expect(kindOf("word", { name: "API_KEY" })).toBe("secret word");
    expect(kindOf("word", { key: "password" })).toBe("secret word");
    expect(kindOf("word", { name: "NAME", key: "name" })).toBe("");
  });

  test("from a file is a secret, and a default is not one", () => {
    const files = {
      values: new Map([["/plan/k.txt", { ok: true as const, text: "word" }]]),
      folder: "/plan",
    };
    const filled = interpolate(
      { a: "${file:k.txt}", b: "${GONE:-sk-1234567890abcdef}" },
      new Map(),
      {},
      files,
    );

    expect(filled).toMatchObject({
      value: { a: "word", b: "sk-1234567890abcdef" },
      secrets: ["word"],
      guesses: [],
    });
    expect(filled.mask("it has the word")).toBe("it has the ${file:k.txt}");
  });

  test("is masked from four characters on, by the name of its variable", () => {
    const { mask } = interpolate({ a: "${A} ${B} ${C}" }, new Map(), { A: "ab1", B: "abc1", C: "abc1-efgh" });

    expect(mask("ab1, abc1 and abc1-efgh")).toBe("ab1, ${B} and ${C}");
  });
});

test("a message keeps its own words and numbers, and a quoted value is masked", () => {
  const { mask } = interpolate({ a: "${B} ${T} ${S}" }, new Map(), {
    B: "true",
    T: "30000",
    S: "s3cr3t-value",
  });

  expect(mask('must be true or false, such as 30000, not "true" or s3cr3t-value')).toBe(
    'must be true or false, such as 30000, not "${B}" or ${S}',
  );
});

test("a folder and a secret are masked wherever they are, a word or a number in quotes only", () => {
  const values = { F: "/srv/plans", K: "word", N: "1.25", H: "db.local:5432" };
  const { mask } = interpolate({ a: "${F} ${N} ${H}", password: "${K}" }, new Map(), values);

  expect(mask('/srv/plans word 1.25 "1.25" db.local:5432')).toBe('${F} ${K} 1.25 "${N}" ${H}');
});

describe("what cannot be filled in", () => {
  const problemsOf = (value: string) =>
    interpolate({ a: value }, new Map(), {}).problems.map(({ code, message, hint }) => [code, message, hint]);
  const noVariable =
    "this is not a variable: write ${NAME}, ${NAME:-default} or ${file:path}, without braces or $ in the default";

  test.each([
    ["${NAME", "PLAN_VALUE_INVALID", noVariable, "write $${ for a literal ${"],
    ["${NAME:+x}", "PLAN_VALUE_INVALID", noVariable, "write $${ for a literal ${"],
    ["${file:k.txt", "PLAN_VALUE_INVALID", noVariable, "write $${ for a literal ${"],
    [
      "${file:k.txt}",
      "PLAN_VALUE_INVALID",
      'the file "k.txt" cannot be used as a value: the file does not exist',
      undefined,
    ],
    [
      `\${file:${"k".repeat(300)}}`,
      "PLAN_VALUE_INVALID",
      `the file "${"k".repeat(200)}" cannot be used as a value: the file does not exist`,
      undefined,
    ],
  ])("%j says why", (value, code, message, hint) => {
    expect(problemsOf(value)).toEqual([[code, message, hint]]);
  });

  test("a value of an environment's prototype is not used", () => {
    expect(interpolate({ a: "${toString}" }, new Map(), {}).problems).toMatchObject([
      { code: "VARIABLE_MISSING", details: { variable: "toString" } },
    ]);
  });
});

test.each<[string, readonly (readonly [string, string | undefined])[]]>([
  [
    "${A} and ${B:-x y}",
    [
      ["A", undefined],
      ["B", "x y"],
    ],
  ],
  ["${A:-}", [["A", ""]]],
  ["$${A}", []],
  ["${A", []],
  ["${1A} ${file:x} ${}", []],
  ["plain", []],
])("%j reads the variables %j", (text, variables) => {
  expect(readReferences(text).map(({ name, fallback }) => [name, fallback])).toEqual(variables);
});
