import { data, failure, type Json, type Omission } from "@toolmount/core";
import { notJson, type End, type Limit, type Start, type Thrown } from "./sandbox/messages.ts";

type Program = Pick<Start, "source" | "names">;
type Place = Pick<Thrown, "line" | "column">;

/** Returns what a model reads about a program that has ended: its result, or what is wrong, where, and how to correct it. */
export function answerOf(
  end: End,
  program: Program,
  { made: calls, omitted }: { readonly made: number; readonly omitted: readonly Omission[] },
  output: string,
) {
  const more = output === "" ? {} : { output };
  if ("limit" in end)
    return failure(limits[end.limit] + loopText(end, program.source), {
      code: "PROGRAM_LIMIT",
      details: { calls, ...more },
      omitted,
    });
  if ("thrown" in end)
    return failure(describeThrown(end.thrown, program), {
      code: "PROGRAM_FAILED",
      details: { calls, ...more, ...(end.thrown.code === undefined ? {} : { thrown: end.thrown.code }) },
      omitted,
    });
  const note = { note: "the program returned nothing; end it with return" };
  if (end.value === null) return data({ result: null, calls, ...more, ...note }, { omitted });
  if (countValues(end.value) > mostReturned)
    return answerOf({ limit: "result" }, program, { made: calls, omitted }, output);
  return data({ result: JSON.parse(end.value) as Json, calls, ...more }, { omitted });
}

/** Maximum number of values of a result. More would exceed the default size of results, and parsing them would only delay the host. */
const mostReturned = 100_000;

/** Returns the number of values in a JSON text, nearly exactly, by counting the commas outside of its texts. */
function countValues(json: string): number {
  let count = 1;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (isText && sign === "\\") at++;
    else if (sign === '"') isText = !isText;
    else if (sign === "," && !isText) count++;
  }
  return count;
}

const limits: Readonly<Record<Limit, string>> = {
  steps: "The program computed for too long. Look for a loop that does not end",
  memory: "The program used too much memory. Keep less of what it reads.",
  result: "The program returned more than 4 million characters or 100,000 values. Return a summary.",
  stuck: "The program waits for a promise that nothing resolves. Await calls of tools only.",
};

/** Returns a hint with the first loop at or after the line at which the engine stopped the program. */
function loopText({ limit, line = 1 }: Extract<End, { readonly limit: Limit }>, source: string): string {
  if (limit !== "steps") return "";
  const at = findFrom(source, line, /\b(?:for|while|do)\b/);
  return at === null ? "." : `, such as the one${placeText(at, source)}.`;
}

/** Describes an error: `TypeError: there is no tool "read_fil"; did you mean read_file? (line 3:13: await tools.read_fil({}))` */
function describeThrown(thrown: Thrown, { source, names }: Program): string {
  const { name, message } = thrown;
  const said = message === "" ? name : `${name}: ${message}`;
  return `${said}${fixOf(message, names)}${placeText(placeOf(thrown, source), source)}`;
}

/** Returns how to correct errors that the engine and Node only name. */
function fixOf(message: string, names: readonly string[]): string {
  const [, missing = ""] = /^(\S+) is not defined$/.exec(message) ?? [];
  if (names.includes(missing)) return `; did you mean tools.${missing}?`;
  if (message.endsWith("is not supported in strip-only mode"))
    return "; types are only taken out, so write it in JavaScript, such as a constant object for an enum";
  if (/outside of module code|^could not load module|^import\.meta only/.test(message))
    return "; the source is the body of a function: it has tools and no modules, and ends with return";
  return "";
}

/**
 * Returns the place of an error. The engine knows the places of only some steps and names the last of these before the error.
 * If the message quotes something that is not in that line, the place is the next line that contains it.
 */
function placeOf({ message, line, column }: Thrown, source: string): Place {
  const [, quoted, single, missing] = /"([^"]+)"|'([^']+)'|^(\S+) is not defined/.exec(message) ?? [];
  const name = quoted ?? single ?? missing;
  if (line === undefined) return message.startsWith(notJson) ? onlyReturn(source) : {};
  if (name === undefined || source.split("\n")[line - 1]?.includes(name) === true) return { line, column };
  return findFrom(source, line, name) ?? { line, column };
}

/** Returns the place at which a program returns; empty if there are several. */
function onlyReturn(source: string): Place {
  const first = findFrom(source, 1, /\breturn\b/);
  const others = first === null ? null : findFrom(source, first.line + 1, /\breturn\b/);
  return first === null || others !== null ? {} : first;
}

/** Returns the first place at or after a line that contains a text. */
function findFrom(
  source: string,
  line: number,
  sought: string | RegExp,
): { line: number; column: number } | null {
  const lines = source.split("\n");
  for (let at = line - 1; at < lines.length; at++) {
    const text = lines[at]!;
    const column = typeof sought === "string" ? text.indexOf(sought) : text.search(sought);
    if (column !== -1) return { line: at + 1, column: column + 1 };
  }
  return null;
}

/** Returns ` (line 3:12: const total = sum(all);)`, or an empty text if the place is not known. */
function placeText({ line, column }: Place, source: string): string {
  const text = line === undefined ? undefined : source.split("\n")[line - 1];
  if (text === undefined) return "";
  return ` (line ${column === undefined ? line : `${line}:${column}`}: ${text.trim().slice(0, 200)})`;
}
