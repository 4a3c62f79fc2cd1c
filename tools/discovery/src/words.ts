import { alike } from "./alike.ts";
import { chineseInEnglish } from "./chinese.ts";

/** Words that say nothing about the wanted tool. */
const empty = new Set(
  (
    "a about all also an and any are as at based be but by can could do does each etc following for from get given had has have how i " +
    "if in into is it its just me multiple my no not of off on or our please related s several should so some t task tasks than that " +
    "the their them then there these they this those to too tool tools up us use used user users using various via want was we were " +
    "what when where which who will with would you your"
  ).split(" "),
);

/**
 * Returns the stems of those words in a text that have a meaning for the search. Names in code are divided, `readFile` like
 * `read_file`.
 */
export function wordsOf(text: string): string[] {
  return chineseInEnglish(text)
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !empty.has(word))
    .map(stem);
}

/** For each stem, all stems with the same meaning. */
const meanings = new Map<string, Set<string>>();
for (const line of alike) {
  const words = new Set(line.split(" ").map(stem));
  for (const word of words) meanings.set(word, new Set([...(meanings.get(word) ?? []), ...words]));
}

/** Returns all stems with the same meaning as `word`, which is a stem that {@link wordsOf} returned, including `word` itself. */
export function alikeOf(word: string): ReadonlySet<string> {
  return meanings.get(word) ?? new Set([word]);
}

/** Kinds of files by the extension of the name. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["md", "markdown file"],
  ["txt", "text file"],
  ["doc", "word document"],
  ["docx", "word document"],
  ["pdf", "pdf document"],
  ["xls", "excel spreadsheet"],
  ["xlsx", "excel spreadsheet"],
  ["csv", "csv spreadsheet"],
  ["ppt", "powerpoint presentation"],
  ["pptx", "powerpoint presentation"],
  ["png", "image file"],
  ["jpg", "image file"],
  ["html", "html file"],
]);

/** Replaces paths and file names in a query by words for their kind, because no tool has their words. */
function withoutNames(query: string): string {
  const kindOf = (name: string) => kinds.get(/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "");
  return query
    .replaceAll(/https?:\/\/\S+/g, " url website ")
    .replaceAll(/(?<!\w)\.{0,2}\/[\w./-]+/g, (path) => ` file ${kindOf(path) ?? ""} `)
    .replaceAll(/\b[\w-]+\.\w{2,4}\b/g, (name) => kindOf(name) ?? name);
}

/** Maximum number of parts of a query that are searched separately. */
const maxParts = 4;

/** Returns the words of a query and, if it asks for several things, also the words of each part. */
export function partsOf(query: string): string[][] {
  const text = withoutNames(query);
  const whole = [...new Set(wordsOf(text))];
  const steps = text
    .split(/[.;,]\s+|\s+(?:and then|then|and|after that)\s+/i)
    .map((step) => [...new Set(wordsOf(step))])
    .filter((words) => words.length > 1);
  return steps.length < 2 ? [whole] : [whole, ...steps.slice(0, maxParts)];
}

/** Shortens a word, so that `files` finds `file` and `moving` finds `move`. It is simpler than a full stemmer. */
function stem(word: string): string {
  if (word.length < 4 || word === "news") return word;
  const bare = word
    .replace(/(?:ies)$/, "y")
    .replace(/(?<=ss|sh|ch|x)es$/, "")
    .replace(/(?<![su])s$/, "")
    .replace(/(?<=\w{3})(?:ing|ed)$/, "");
  return bare.replace(/(?<=\w{2})([bdgmnprt])\1$/, "$1").replace(/(?<=\w{2})e$/, "");
}
