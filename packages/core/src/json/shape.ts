/** Most members of one object, and of a whole text: to parse more, and to walk them, would hold up the host. */
export const maxKeys = 20_000;
export const maxMembers = 1_000_000;

/** Objects inside each other that are counted apart; of deeper ones only the innermost is. No value may be as deep, but a text can. */
const maxObjects = 1_000;

/**
 * Says what makes a foreign JSON text too wide to parse: "an object of more than 20000 members". Null for one that may
 * be parsed. Reads the text once, skips what is inside of its strings, and stops at the first member too many. For a text
 * that is not JSON the answer has no meaning.
 */
export function excessOf(text: string): string | null {
  // The least that a member takes is `0,`, and `"":0,` in an object.
  if (text.length <= maxKeys * 5) return null;
  const keys: number[] = [0];
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (code === comma) {
      if (++members > maxMembers) return `more than ${maxMembers} members`;
    } else if (code === colon) {
      if (++keys[keys.length - 1]! > maxKeys) return `an object of more than ${maxKeys} members`;
    } else if (code === openBrace) {
      if (keys.length < maxObjects) keys.push(0);
      else keys[maxObjects - 1] = 0;
    } else if (code === closeBrace) {
      keys.pop();
    }
  }
  return null;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The place of the quote that ends the string which begins at `from`; the end of a text that has none. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}

/** What the members of a value, at every depth, leave of `budget`; below 0 it stops. */
export function remainingMembers(value: unknown, budget: number): number {
  if (typeof value !== "object" || value === null) return budget;
  const members = Object.values(value);
  let left = budget - members.length;
  for (let at = 0; at < members.length && left >= 0; at++) left = remainingMembers(members[at], left);
  return left;
}

/** Whether an object of a value has more members than one of a foreign text may have. */
export function hasWideObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasWideObject);
  const members = Object.values(value);
  return members.length > maxKeys || members.some(hasWideObject);
}
