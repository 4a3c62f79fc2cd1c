import type { TrialTool } from "../../src/contract.ts";
import type { PlantedFault } from "./faults.ts";
import type { Call, Message } from "./thread.ts";

export async function askModel(modelUrl: string, messages: readonly Message[]): Promise<Message> {
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages }),
  });
  const { choices } = (await response.json()) as { choices: readonly [{ readonly message: Message }] };
  return choices[0].message;
}

/** Runs a call, and returns what the model reads of it. */
export async function runCall(
  { tool: name, text }: Call,
  tools: ReadonlyMap<string, TrialTool>,
  fault: PlantedFault,
  hasAsked: boolean,
): Promise<string> {
  const tool = tools.get(name);
  if (tool === undefined || !isJson(text)) return "that cannot be called";
  const args = readArguments(text, fault);
  const { amount } = tool.parameters["properties"] as { amount?: { type: string } };
  if (amount !== undefined && !takesAmount(amount.type, args["amount"], fault)) return "wrong amount";
  const once = async () => {
    const answer = await tool.run(args);
    return typeof answer === "string" ? answer : "no text";
  };
  // A free call beside one that waits is run again.
  if (fault === "free-call-once" && !tool.asks && hasAsked) await once();
  return once().catch((error: unknown) =>
    fault === "throws-after-effect" ? once().catch(String) : String(error),
  );
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The value of a text, with exact integers. */
function readArguments(text: string, fault: PlantedFault): Record<string, unknown> {
  const reviver = (key: string, value: unknown, { source = "" }: { source?: string } = {}) => {
    if (fault === "proto" && key === "__proto__") return undefined;
    const isUnsafe = typeof value === "number" && /^-?\d+$/.test(source) && !Number.isSafeInteger(value);
    return isUnsafe && fault !== "big-integer" ? BigInt(source) : value;
  };
  return JSON.parse(text, reviver) as Record<string, unknown>;
}

/** Whether a tool takes an amount of this type. Two faults take one that it does not. */
function takesAmount(wanted: unknown, amount: unknown, fault: PlantedFault): boolean {
  const type = typeof amount === "bigint" ? "number" : typeof amount;
  if (type === wanted) return true;
  return fault === (wanted === "number" ? "wrong-type" : "definition-changed");
}

/** A question's arguments, as a person sees them. */
export function shownText(text: string, fault: PlantedFault): string {
  if (fault === "long") return text.slice(0, 100_000);
  return fault === "hidden-characters" ? text.replaceAll(/\\u20[0-9a-f]{2}/g, "") : text;
}
