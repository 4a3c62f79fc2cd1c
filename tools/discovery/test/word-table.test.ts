import { expect, test } from "vitest";
import { WordTable } from "../src/word-table.ts";

/** Pages of two fields, and how much each counts. */
const weights = { name: 4, text: 1 };

function table(...pages: readonly (readonly [name: string, text?: string])[]) {
  return new WordTable(
    pages.map(([name, text]) => ({ name, ...(text === undefined ? {} : { text }) })),
    weights,
  );
}

/** What is found for the words of one query, with scores of four digits. */
function find(index: WordTable, words: string, limit = 10, accepts: (page: number) => boolean = () => true) {
  const [found = []] = index.find([words === "" ? [] : words.split(" ")], limit, accepts);
  return found.map(({ at, score }) => [at, Number(score.toFixed(4))]);
}

/**
 * The score of BM25F: how rare the word is among the pages, times how much it counts on the page, which saturates at 5 and is
 * held half against the length of the page.
 */
function bm25(
  { pages, having }: { pages: number; having: number },
  weight: number,
  { length, average }: { length: number; average: number },
) {
  const rarity = Math.log(1 + (pages - having + 0.5) / (having + 0.5));
  const score = (rarity * weight * 6) / (weight + 5 * (0.5 + (0.5 * length) / average));
  return Number(score.toFixed(4));
}

test("a word scores by its rarity, its field and the length of the page", () => {
  const index = table(["kiwi"], ["melon", "kiwi kiwi lemon"], ["lemon", "melon"]);
  const average = (4 + 7 + 5) / 3;

  expect(find(index, "kiwi")).toEqual([
    [0, bm25({ pages: 3, having: 2 }, 4, { length: 4, average })],
    // The second one of a field counts less: 2 / 1.2.
    [1, bm25({ pages: 3, having: 2 }, 2 / 1.2, { length: 7, average })],
  ]);
  expect(find(index, "melon")).toEqual([
    [1, bm25({ pages: 3, having: 2 }, 4, { length: 7, average })],
    [2, bm25({ pages: 3, having: 2 }, 1, { length: 5, average })],
  ]);
  expect(find(index, "")).toEqual([]);
  expect(find(index, "quince")).toEqual([]);
});

test("a word in both fields of a page counts for both, three of a word less than three times", () => {
  const index = table(["kiwi", "kiwi"], ["lemon", "kiwi kiwi kiwi"], ["grape"]);
  const average = (5 + 7 + 4) / 3;
  const both = bm25({ pages: 3, having: 2 }, 5, { length: 5, average });
  const three = bm25({ pages: 3, having: 2 }, 3 / 1.4, { length: 7, average });

  expect(find(index, "kiwi")).toEqual([
    [0, both],
    [1, three],
  ]);
});

test("the words of a query add up", () => {
  const index = table(["kiwi"], ["lemon"], ["kiwi lemon"]);
  const average = 16 / 3;
  const one = bm25({ pages: 3, having: 2 }, 4, { length: 4, average });
  const both = 2 * bm25({ pages: 3, having: 2 }, 4, { length: 8, average });

  expect(find(index, "kiwi lemon")).toEqual([
    [2, Number(both.toFixed(4))],
    [0, one],
    [1, one],
  ]);
});

test("no page, and pages without a word, have no length to divide by", () => {
  expect(find(table(), "kiwi")).toEqual([]);
  expect(find(table(["", ""], ["kiwi"]), "kiwi")).toEqual([
    [1, bm25({ pages: 2, having: 1 }, 4, { length: 4, average: 2 })],
  ]);
});

test("words that mean the same count two fifths, and a page that has several of them counts once", () => {
  const index = table(["delete"], ["remove"], ["remove", "purge"], ["grape"]);
  const average = (4 + 4 + 5 + 4) / 4;
  const of = (weight: number, length: number) => bm25({ pages: 4, having: 1 }, weight, { length, average });

  expect(find(index, "delet")).toEqual([
    [0, of(4, 4)],
    [2, of(0.4 * 4 + 0.4, 5)],
    [1, of(0.4 * 4, 4)],
  ]);
});

test("the beginning of a longer word counts three tenths, from four letters on", () => {
  const index = table(["kiwifruit"], ["kiwi"], ["kiwano"], ["kit"], ["kitten"]);
  const of = (weight: number, having: number) =>
    bm25({ pages: 5, having }, weight, { length: 4, average: 4 });

  expect(find(index, "kiwi")).toEqual([
    [1, of(4, 1)],
    [0, of(0.3 * 4, 1)],
  ]);
  expect(find(index, "kiwif")).toEqual([[0, of(0.3 * 4, 1)]]);
  expect(find(index, "kit")).toEqual([[3, of(4, 1)]]);
  expect(find(index, "kiw")).toEqual([]);
});

test("all longer words are found, whichever place they have among the others", () => {
  const index = table(["aaaa"], ["plumb"], ["plumage"], ["plumber"], ["plumes"], ["zzzz"]);

  expect(new Set(find(index, "plum").map(([at]) => at))).toEqual(new Set([1, 2, 3, 4]));
  expect(find(index, "zzzz").map(([at]) => at)).toEqual([5]);
  expect(find(index, "aaaa").map(([at]) => at)).toEqual([0]);
});

test.each([
  ["another letter", "lemin"],
  ["another last letter", "lemom"],
  ["one too many", "lemonn"],
  ["one too many in the middle", "lemmon"],
  ["two in the wrong order", "lemno"],
])("a word with %s counts three tenths where no page has it: %s", (_title, word) => {
  const index = table(["lemon"], ["grape"]);

  expect(find(index, word)).toEqual([[0, bm25({ pages: 2, having: 1 }, 0.3 * 4, { length: 4, average: 4 })]]);
});

test("a word with one letter too few is found as the beginning of one, or as misspelt", () => {
  const index = table(["lemons"], ["grape"], ["kiwano"]);
  const of = bm25({ pages: 3, having: 1 }, 0.3 * 4, { length: 4, average: 4 });

  expect(find(index, "kiwan")).toEqual([[2, of]]);
  expect(find(index, "kiano")).toEqual([[2, of]]);
});

test.each(["kemon", "lemonen", "lmoen", "lenom", "leomm", "lenno", "lem", "lemi"])(
  "%s is too far from lemon",
  (word) => {
    expect(find(table(["lemon"], ["grape"]), word)).toEqual([]);
  },
);

test("a short word, and one that a page has, are not taken for misspelt ones", () => {
  const index = table(["lime"], ["limes"], ["limed"], ["grape"]);

  expect(find(index, "limx")).toEqual([]);
  expect(find(table(["melon"], ["mellon"]), "melon").map(([at]) => at)).toEqual([0]);
});

test("the best of what is accepted is found, the first of those that are as good", () => {
  const index = table(["a1", "kiwi"], ["kiwi"], ["b1", "kiwi"], ["c1", "kiwi"], ["kiwi"]);
  const places = (limit: number, accepts?: (page: number) => boolean) =>
    find(index, "kiwi", limit, accepts).map(([at]) => at);

  expect(places(10)).toEqual([1, 4, 0, 2, 3]);
  expect(places(5)).toEqual([1, 4, 0, 2, 3]);
  expect(places(3)).toEqual([1, 4, 0]);
  expect(places(1)).toEqual([1]);
  expect(places(2, (page) => page !== 1)).toEqual([4, 0]);
  expect(places(10, () => false)).toEqual([]);
});

test("each part of a query has its own list, and a search leaves nothing behind for the next", () => {
  const index = table(["kiwi"], ["lemon"], ["grape"]);
  const search = () =>
    index
      .find([["kiwi"], ["lemon", "kiwi"], ["kiwi", "kiwi"]], 10, () => true)
      .map((part) => part.map(({ at }) => at));

  expect(search()).toEqual([[0], [1, 0], [0]]);
  expect(search()).toEqual([[0], [1, 0], [0]]);
});

test("what a search asked whether to accept are only the pages that could be among the best", () => {
  const index = table(["kiwi"], ["a1", "kiwi"], ["b1", "kiwi"], ["grape"]);
  const asked: number[] = [];
  find(index, "kiwi", 1, (page) => asked.push(page) > 0);

  expect(asked).toEqual([0]);
});
