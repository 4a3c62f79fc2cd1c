/** Words that say nothing about which tool is meant. */
const empty = new Set(
  (
    "a about all an and are as at be but by can do does for from get has have how i if in into is it its me my of on or " +
    "our please s so some t that the their them then there these this to tool tools up use used using want was we what when where " +
    "which will with you your"
  ).split(" "),
);

/** A text as words: names of code are taken apart, `readFile` and `read_file` alike. */
export function splitWords(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Words that mean the same of tools. A word is also looked for as the first of its line. */
const alike = [
  "delete remove erase drop forget",
  "folder directory dir",
  "search find look locate query",
  "create make add new",
  "show read view display see open",
  "edit change modify replace update",
  "move rename",
  "run execute start launch",
  "fetch download get retrieve",
  "file document",
  "stop kill end terminate cancel",
  "error failure fail",
  "task todo",
  "web internet online site page",
  "picture image photo",
  "relation connection link",
].flatMap((line) => {
  const words = line.split(" ").map(stem);
  return words.map((word) => [word, `=${words[0]}`] as const);
});

const meanings = new Map(alike);

/** A word as it is compared: small, without the endings that English puts on it; null when it says nothing. */
export function normalizeWord(word: string): string[] | null {
  const small = word.toLowerCase();
  if (empty.has(small)) return null;
  const bare = stem(small);
  const meaning = meanings.get(bare);
  return meaning === undefined ? [bare] : [bare, meaning];
}

/** So that `files` finds `file`, `moving` finds `move`; not a whole stemmer. */
function stem(word: string): string {
  if (word.length < 4) return word;
  const bare = word
    .replace(/(?:ies)$/, "y")
    .replace(/(?<=ss|sh|ch|x)es$/, "")
    .replace(/(?<![su])s$/, "")
    .replace(/(?<=\w{3})(?:ing|ed)$/, "");
  return bare.replace(/(?<=\w{2})([bdgmnprt])\1$/, "$1").replace(/(?<=\w{2})e$/, "");
}
