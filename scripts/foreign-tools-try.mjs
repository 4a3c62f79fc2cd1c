// Mounts the plan of a folder and calls a tool of it, for foreign-tools.mjs. Prints one line: RESULT and JSON.
import { isDeepStrictEqual } from "node:util";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import { openHost } from "@toolmount/loader";

const [folder, asked] = process.argv.slice(2);
const call = JSON.parse(asked);

const silent = () => undefined;
const logger = {
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  child: () => logger,
};

function print(result) {
  process.stdout.write(`\nRESULT ${JSON.stringify(result)}\n`, () => process.exit(0));
}

/** The part of an answer that the list names. */
function partOf(value, expected) {
  if (typeof expected !== "object" || expected === null) return value;
  return Object.fromEntries(Object.keys(expected).map((key) => [key, value?.[key]]));
}

try {
  const extensions = { "@toolmount/interop": interop, "@toolmount/mcp": mcp };
  const host = await openHost(`${folder}/mount-plan.json`, { extensions, logger });
  const tools = host.tools();
  const asks = tools.filter(({ requiresConfirmation }) => requiresConfirmation !== false).length;
  const result = { tools: tools.map(({ name }) => name), asks };
  if (call === null) print(result);
  else {
    const [name, given, expected] = call;
    const outcome = await host.call({ name, arguments: given });
    const { fails } = Object(expected);
    const isRight =
      fails === undefined
        ? outcome.status === "ok" && isDeepStrictEqual(partOf(outcome.result.data, expected), expected)
        : outcome.status === "failed";
    print({ ...result, call: { isRight, fails, got: JSON.stringify(outcome.result).slice(0, 300) } });
  }
} catch (error) {
  const problem = error.details?.problems?.[0]?.message ?? error.problems?.[0]?.message ?? error.message;
  print({
    refused: String(problem)
      .split("\n")
      .find((line) => line.trim() !== "")
      .trim()
      .slice(0, 500),
  });
}
