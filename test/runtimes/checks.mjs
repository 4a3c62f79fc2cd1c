// What the checks of all runtimes share: no file, no process, no socket.

/** Throws unless two values are the same as JSON. */
export function equal(found, wanted) {
  const [a, b] = [found, wanted].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`found ${a}, wanted ${b}`);
}

/** Runs checks one after the other, and prints one JSON object a line. */
export async function runChecks(checks) {
  for (const [name, check] of Object.entries(checks)) {
    let problem = null;
    try {
      await check();
    } catch (error) {
      problem = `${error?.name}: ${error?.message ?? error}`;
    }
    console.log(JSON.stringify({ name, problem }));
  }
}
