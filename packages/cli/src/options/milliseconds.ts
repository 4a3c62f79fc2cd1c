/** Longest delay of a timer, in milliseconds. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Reads a number of milliseconds. */
export function readMilliseconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= maxTimeoutMs) return value;
  const message = `It is a whole number of milliseconds, from 1 to ${maxTimeoutMs}.`;
  // Commander recognises its InvalidArgumentError by the code, so it need not be loaded for this.
  throw Object.assign(new Error(message), { code: "commander.invalidArgument", exitCode: 1 });
}
