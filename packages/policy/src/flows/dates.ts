const months = "january february march april may june july august september october november december".split(
  " ",
);

/** Matches a day, with or without a time, as tools get it in arguments. */
const isoTime = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ](\d{1,2}):(\d{2})(?::\d{2})?z?)?$/i;

/**
 * Whether a normalized text names the day of an ISO date, and its time: `may 5th`, `the 1st to the 5th of may`, `05/05/2024`,
 * `2 pm`. Null if the value is not a date. Midnight need not be named.
 */
export function namesDate(value: string, text: string): boolean | null {
  const [, year = "", month = "", day = "", hour, minute = "00"] = isoTime.exec(value.trim()) ?? [];
  if (day === "") return null;
  const hasDay = dayPatterns(year, Number(month), Number(day)).some((pattern) => pattern.test(text));
  if (!hasDay || hour === undefined || (Number(hour) === 0 && minute === "00")) return hasDay;
  return timePattern(Number(hour), minute).test(text);
}

function dayPatterns(year: string, month: number, day: number): readonly RegExp[] {
  const name = months[month - 1];
  if (name === undefined) return [];
  const word = `${name}|${name.slice(0, 3)}\\.?|${name.slice(0, 4)}\\.?`;
  const nth = "(?:st|nd|rd|th)?";
  const to = "(?:to|until|till|through|and|-|–)";
  const [mm, dd] = [`0?${month}`, `0?${day}`];
  return [
    `${dd}${nth}(?: of)?,? (?:${word})(?!\\p{L})`,
    `${dd}${nth} ?${to} ?(?:the )?\\d{1,2}${nth}(?: of)? (?:${word})(?!\\p{L})`,
    `(?:${word}),? (?:the )?${dd}${nth}(?!\\d)`,
    `(?:${word}),? (?:the )?\\d{1,2}${nth} ?${to} ?(?:the )?${dd}${nth}(?!\\d)`,
    `${year}[-/.]${mm}[-/.]${dd}(?!\\d)`,
    `${mm}[/.]${dd}[/.]${year}`,
    `${dd}[/.]${mm}[/.]${year}`,
  ].map((source) => new RegExp(`(?<![\\p{L}\\p{N}])${source}`, "u"));
}

function timePattern(hour: number, minute: string): RegExp {
  const half = hour % 12 === 0 ? 12 : hour % 12;
  const suffix = hour < 12 ? "a\\.?m" : "p\\.?m";
  const minutes = minute === "00" ? `(?:[:.]00)?` : `[:.]${minute}`;
  const clock = `${half}${minutes} ?${suffix}`;
  const words = minute === "00" && hour === 12 ? "|noon|midday" : "";
  return new RegExp(`(?<!\\d)(?:0?${hour}[:.]${minute}|${clock}|${hour} ?h${words})(?!\\d)`, "u");
}
