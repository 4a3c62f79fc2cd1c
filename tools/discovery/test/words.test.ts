import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chineseInEnglish } from "../src/chinese.ts";
import { alikeOf, partsOf, wordsOf } from "../src/words.ts";

test.each([
  ["readFile", "read fil"],
  ["read_file", "read fil"],
  ["readHTMLFile", "read html fil"],
  ["get2Files", "get2 fil"],
  ["parse2Json", "parse2 json"],
  ["x-ray.v2", "x ray v2"],
  ["the files of a user", "fil"],
  ["please just do it with your tools", ""],
  ["queries", "query"],
  ["boxes dishes classes watches", "box dish class watch"],
  ["status bus glass", "status bus glass"],
  ["moving moved moves", "mov mov mov"],
  ["running stopped planned hitting", "run stop plan hit"],
  ["ring bed", "ring bed"],
  ["bing", "bing"],
  ["news new", "news new"],
  ["see tree free", "see tre fre"],
  ["größe", "größe"],
  ["", ""],
  ["!?", ""],
])("the words of %j are %j", (text, words) => {
  expect(wordsOf(text).join(" ")).toBe(words);
});

test.each([
  ["rename a file", ["renam fil"]],
  ["rename rename a file", ["renam fil"]],
  ["open https://example.com/a.pdf", ["open url websit"]],
  ["open http://example.com/a", ["open url websit"]],
  ["sum up /home/ana/minutes.docx", ["sum fil word document"]],
  ["sum up ../a/b.TXT", ["sum fil text"]],
  ["sum up ./notes", ["sum fil"]],
  ["either/or", ["either"]],
  ["read minutes.docx", ["read word document"]],
  ["read a.unknown", ["read unknown"]],
  ["read main.rs", ["read main rs"]],
  [
    "find the best train, then book a cheap hotel",
    ["find best train book cheap hotel", "find best train", "book cheap hotel"],
  ],
  [
    "find trains; book hotels. call taxis",
    ["find train book hotel call taxi", "find train", "book hotel", "call taxi"],
  ],
  ["find trains and then book hotels", ["find train book hotel", "find train", "book hotel"]],
  ["find trains after that book hotels", ["find train after book hotel", "find train", "book hotel"]],
  ["find trains AND book hotels", ["find train book hotel", "find train", "book hotel"]],
  ["red and green", ["red green"]],
  ["find red and green", ["find red green"]],
  [
    "find trains, book hotels, call taxis, send mails, buy tickets",
    [
      "find train book hotel call taxi send mail buy ticket",
      "find train",
      "book hotel",
      "call taxi",
      "send mail",
    ],
  ],
  ["find 1.5 and 2,5 euros", ["find 1 5 2 euro", "find 1 5", "2 5 euro"]],
  ["", [""]],
])("the query %j is looked for as %j", (query, parts) => {
  expect(partsOf(query).map((words) => words.join(" "))).toEqual(parts);
});

test.each([
  ["md", "markdown fil"],
  ["txt", "text fil"],
  ["doc", "word document"],
  ["docx", "word document"],
  ["pdf", "pdf document"],
  ["xls", "excel spreadsheet"],
  ["xlsx", "excel spreadsheet"],
  ["csv", "csv spreadsheet"],
  ["ppt", "powerpoint presentation"],
  ["pptx", "powerpoint presentation"],
  ["png", "imag fil"],
  ["jpg", "imag fil"],
  ["html", "html fil"],
])("a file that ends in .%s is looked for as %s", (end, words) => {
  expect(partsOf(`minutes.${end}`)).toEqual([words.split(" ")]);
});

test("a word means itself and all words of its lines in the table", () => {
  expect([...alikeOf("quinc")]).toEqual(["quinc"]);
  expect([...alikeOf("renam")]).toEqual(["mov", "renam"]);
  expect(alikeOf("chang")).toEqual(
    new Set("edit chang modify replac updat alter adjust correct convert transform turn translat".split(" ")),
  );
});

/** Lines of a text file, each with what stands before and after ` = `. */
const pairsOf = (name: string) =>
  readFileSync(join(import.meta.dirname, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" = ") as [string, string]);

test.each(pairsOf("chinese.txt"))("the Chinese request %s is looked for as %s", (request, words) => {
  expect(chineseInEnglish(request).split(" ").filter(Boolean).join(" ")).toBe(words);
});

test.each(pairsOf("alike.txt"))("a request for %s finds a tool that says %s", (asked, said) => {
  expect(wordsOf(said).every((word) => alikeOf(wordsOf(asked)[0]!).has(word))).toBe(true);
});

test("Chinese words that are not known, and other text, stay as they are", () => {
  expect(chineseInEnglish("猫 miau 文件")).toBe("猫 miau  file ");
  expect(chineseInEnglish("cat")).toBe("cat");
});
