/** Longest delay that a timer of Node accepts, in milliseconds. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Reads a whole number of milliseconds from 1 to the longest delay of a timer. */
export function readMilliseconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= maxTimeoutMs) return value;
  const message = `It is a whole number of milliseconds, from 1 to ${maxTimeoutMs}.`;
  // Commander recognises its InvalidArgumentError by this code. Loading the class itself would take time.
  throw Object.assign(new Error(message), { code: "commander.invalidArgument", exitCode: 1 });
}
