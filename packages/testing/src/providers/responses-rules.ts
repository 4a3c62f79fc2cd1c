import {
  Findings,
  isImage,
  isPdf,
  isSchemaOfOpenAi,
  isWellFormed,
  readDataUrl,
  recordOf,
  recordsOf,
  textOr,
  webImages,
  type BrokenRule,
  type ProviderRequest,
} from "./api.ts";

/** The rules of the Responses API for requests. Source: its API reference, and the errors of its server. */
export const responsesRules = {
  "input-not-empty": "`input` has at least one item.",
  "item-type": "Each item has a type and the members that the API knows.",
  "message-role": "A message's role is user, assistant, system or developer.",
  "message-content":
    "Content is text or parts: input_* of the user, output_text and refusal of the assistant.",
  "image-data": "An image is png, jpeg, webp or gif, and its bytes are of that type.",
  "file-data": "A file has a name, and is a PDF by its type and its bytes; or it has an id or an address.",
  "call-id": "A call's id has 1 to 64 characters, and no two calls have the same.",
  "call-name": "A call's name has 1 to 64 of the characters a-z, A-Z, 0-9, _ and -.",
  "call-arguments": "A call's arguments are a text.",
  "call-has-output": "Each call has an output.",
  "output-has-call": "Each output follows a call with its id, which has no other output.",
  "output-content": "An output is text, or parts of the type input_text, input_image or input_file.",
  "reasoning-followed": "Reasoning is followed by the message or the call that it led to.",
  "reasoning-own": "Reasoning that the server did not store has the encrypted content that the server made.",
  "tool-schema": "A list in a tool's schema has `items`, and no pattern looks around.",
  "tool-definition": "A tool has a unique name of 1 to 64 characters and a schema of the type object.",
  "text-well-formed": "No text has half of a surrogate pair.",
} as const;

type Rule = keyof typeof responsesRules;

const members: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status", "phase"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content", "status"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status"],
  custom_tool_call: ["type", "id", "call_id", "name", "input", "status"],
  function_call_output: ["type", "id", "call_id", "output", "status"],
  custom_tool_call_output: ["type", "id", "call_id", "output", "status"],
};

const nameRule = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns the rules of the Responses API that a request breaks. */
export function checkResponses(request: ProviderRequest): readonly BrokenRule[] {
  const findings = new Findings<Rule>();
  const items = recordsOf(request["input"]);
  findings.require(items.length > 0, "input-not-empty", "input is empty");
  for (const [at, item] of items.entries()) checkItem(item, `input[${at}]`, findings);
  checkPairs(items, typeof request["previous_response_id"] === "string", findings);
  checkReasoning(items, findings);
  checkTools(recordsOf(request["tools"]), findings);
  findings.require(isWellFormed(request), "text-well-formed", "the body has a lone surrogate");
  return findings.broken;
}

type Item = Readonly<Record<string, unknown>>;

function checkItem(item: Item, place: string, findings: Findings<Rule>): void {
  const type = typeof item["type"] === "string" ? item["type"] : "role" in item ? "message" : "";
  const known = members[type];
  findings.require(known !== undefined, "item-type", `${place}: the type ${JSON.stringify(type)}`);
  const foreign = Object.keys(item).filter((key) => known?.includes(key) === false);
  findings.require(foreign.length === 0, "item-type", `${place}: unknown parameter ${foreign.join(", ")}`);
  if (type === "message") checkMessage(item, place, findings);
  if (type.endsWith("tool_call") || type === "function_call") {
    const { name, call_id: id } = item;
    const given = type === "function_call" ? item["arguments"] : item["input"];
    findings.require(nameRule.test(textOr(name)), "call-name", `${place}: ${JSON.stringify(name)}`);
    findings.require(isId(id), "call-id", `${place}: ${JSON.stringify(id)}`);
    findings.require(typeof given === "string", "call-arguments", `${place}: not a text`);
  }
  if (type.endsWith("_output")) {
    findings.require(isId(item["call_id"]), "call-id", `${place}: ${JSON.stringify(item["call_id"])}`);
    checkOutput(item["output"], place, findings);
  }
}

function isId(id: unknown): boolean {
  return typeof id === "string" && id.length >= 1 && id.length <= 64;
}

function checkMessage({ role, content }: Item, place: string, findings: Findings<Rule>): void {
  const isKnown = ["user", "assistant", "system", "developer"].includes(String(role));
  findings.require(isKnown, "message-role", `${place}: ${JSON.stringify(role)}`);
  if (typeof content === "string") return;
  const allowed =
    role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  const parts = recordsOf(content);
  findings.require(parts.length > 0, "message-content", `${place}: no content`);
  for (const part of parts) checkPart(part, allowed, "message-content", { place, findings });
}

function checkOutput(output: unknown, place: string, findings: Findings<Rule>): void {
  if (typeof output === "string") return;
  const parts = recordsOf(output);
  findings.require(parts.length > 0, "output-content", `${place}: no output`);
  const allowed = ["input_text", "input_image", "input_file"];
  for (const part of parts) checkPart(part, allowed, "output-content", { place, findings });
}

function checkPart(
  part: Item,
  allowed: readonly string[],
  rule: Rule,
  { place, findings }: { readonly place: string; readonly findings: Findings<Rule> },
): void {
  const type = String(part["type"]);
  findings.require(allowed.includes(type), rule, `${place}: a part of the type ${type}`);
  if (type.endsWith("_text")) findings.require(typeof part["text"] === "string", rule, `${place}: no text`);
  if (type === "input_file") {
    const isNamed = textOr(part["filename"]) !== "" && isPdf(...readDataUrl(part["file_data"]));
    const isElsewhere = textOr(part["file_id"]) !== "" || textOr(part["file_url"]) !== "";
    findings.require(isNamed || isElsewhere, "file-data", `${place}: ${String(part["filename"])}`);
  }
  if (type !== "input_image") return;
  const [mediaType, data] = readDataUrl(part["image_url"]);
  const isRemote = String(part["image_url"]).startsWith("https://");
  findings.require(isRemote || isImage(mediaType, data, webImages), "image-data", `${place}: ${mediaType}`);
}

function checkPairs(items: readonly Item[], isContinued: boolean, findings: Findings<Rule>): void {
  const open = new Set<unknown>();
  const seen = new Set<unknown>();
  for (const [at, { type, call_id: id }] of items.entries()) {
    if (type === "function_call" || type === "custom_tool_call") {
      findings.require(!seen.has(id), "call-id", `input[${at}]: ${JSON.stringify(id)} is used twice`);
      open.add(id);
      seen.add(id);
    }
    if (type !== "function_call_output" && type !== "custom_tool_call_output") continue;
    const isKnown = open.delete(id) || (isContinued && !seen.has(id));
    findings.require(isKnown, "output-has-call", `input[${at}]: no call ${JSON.stringify(id)}`);
  }
  for (const id of open)
    findings.require(false, "call-has-output", `no output for the call ${JSON.stringify(id)}`);
}

function checkReasoning(items: readonly Item[], findings: Findings<Rule>): void {
  for (const [at, item] of items.entries()) {
    if (item["type"] !== "reasoning") continue;
    const { type, role } = items[at + 1] ?? {};
    const leads = type === "reasoning" || type === "function_call" || type === "custom_tool_call";
    const isFollowed = leads || (role === "assistant" && type === "message");
    findings.require(isFollowed, "reasoning-followed", `input[${at}]: reasoning without its item`);
    const { encrypted_content: sealed, content, id } = item;
    const isOwn = typeof sealed === "string" || typeof id === "string" || Array.isArray(content);
    findings.require(isOwn, "reasoning-own", `input[${at}]: reasoning without content`);
  }
}

function checkTools(tools: readonly Item[], findings: Findings<Rule>): void {
  const names = tools.map(({ name }) => textOr(name));
  for (const [at, { parameters }] of tools.entries()) {
    const name = names[at]!;
    const isUnique = names.indexOf(name) === at;
    const isObject = recordOf(parameters)["type"] === "object";
    findings.require(nameRule.test(name) && isUnique && isObject, "tool-definition", `tools[${at}]: ${name}`);
    findings.require(isSchemaOfOpenAi(parameters), "tool-schema", `tools[${at}]: ${name}`);
  }
}
