import {
  Findings,
  hasWords,
  isImage,
  isPdf,
  isWellFormed,
  recordOf,
  recordsOf,
  textOr,
  webImages,
  type BrokenRule,
  type ProviderRequest,
} from "./api.ts";

/** The rules of the Messages API for requests. Source: its API reference, and the errors of its server. */
export const anthropicRules = {
  "max-tokens": "`max_tokens` is a positive number.",
  "user-first": "The first message is one of the user.",
  "user-last": "The last message is one of the user; newer models take no beginning of their answer.",
  "message-role": "A message's role is user or assistant.",
  "content-not-empty": "Content is text with more than white space, or at least one block.",
  "block-type": "A block is of a type that its role may have.",
  "text-not-blank": "A block of text has more than white space.",
  "thinking-signed": "A block of thinking has its signature.",
  "call-id": "A call's id matches ^[a-zA-Z0-9_-]+$, and no two calls have the same.",
  "call-name": "A call's name has 1 to 128 of the characters a-z, A-Z, 0-9, _ and -.",
  "call-input": "A call's input is an object.",
  "calls-answered": "The message after a call begins with one result for each call.",
  "output-has-call": "A result answers a call of the message before it.",
  "output-error": "A result that is an error has only text.",
  "image-data": "An image is png, jpeg, webp or gif, and its bytes are of that type.",
  "file-data": "A document is a PDF by its type and its bytes, a text of the type text/plain, or an address.",
  "system-not-blank": "Blocks of `system` have more than white space.",
  "tool-schema": "An argument's name has 1 to 64 of the characters a-z, A-Z, 0-9, _, . and -.",
  "tool-definition": "A tool has a unique name of 1 to 128 characters and a schema of the type object.",
  "text-well-formed": "No text has half of a surrogate pair.",
} as const;

type Rule = keyof typeof anthropicRules;
type Block = Readonly<Record<string, unknown>>;

const nameRule = /^[a-zA-Z0-9_-]{1,128}$/;
const argumentRule = /^[a-zA-Z0-9_.-]{1,64}$/;
const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
};

/** Returns the rules of the Messages API that a request breaks. */
export function checkAnthropic(request: ProviderRequest): readonly BrokenRule[] {
  const findings = new Findings<Rule>();
  const { max_tokens: limit, system } = request;
  findings.require(typeof limit === "number" && limit > 0, "max-tokens", `max_tokens: ${String(limit)}`);
  const messages = recordsOf(request["messages"]);
  findings.require(messages[0]?.["role"] === "user", "user-first", "messages[0] is not of the user");
  findings.require(messages.at(-1)?.["role"] === "user", "user-last", "the last message is not of the user");
  for (const [at, message] of messages.entries()) checkMessage(message, `messages[${at}]`, findings);
  checkPairs(messages, findings);
  for (const { text } of recordsOf(system))
    findings.require(hasWords(text), "system-not-blank", "a block of system is blank");
  checkTools(recordsOf(request["tools"]), findings);
  findings.require(isWellFormed(request), "text-well-formed", "the body has a lone surrogate");
  return findings.broken;
}

function checkMessage({ role, content }: Block, place: string, findings: Findings<Rule>): void {
  const allowed = blockTypes[String(role)];
  findings.require(allowed !== undefined, "message-role", `${place}: ${JSON.stringify(role)}`);
  if (typeof content === "string")
    return findings.require(hasWords(content), "content-not-empty", `${place}: blank content`);
  const blocks = recordsOf(content);
  findings.require(blocks.length > 0, "content-not-empty", `${place}: no content`);
  for (const [at, block] of blocks.entries()) {
    const type = String(block["type"]);
    const inner = `${place}.content[${at}]`;
    findings.require(allowed?.includes(type) !== false, "block-type", `${inner}: ${type}`);
    checkBlock(block, inner, findings);
  }
}

function checkBlock(block: Block, place: string, findings: Findings<Rule>): void {
  const { type, id, name, input, signature, content, is_error: isError } = block;
  const shown = JSON.stringify(type === "tool_use" ? [id, name] : block)?.slice(0, 120);
  if (type === "text") findings.require(hasWords(block["text"]), "text-not-blank", `${place}: blank`);
  if (type === "image") checkImage(block, place, findings);
  if (type === "document") checkDocument(block, place, findings);
  if (type === "thinking") findings.require(hasWords(signature), "thinking-signed", `${place}: unsigned`);
  if (type === "tool_use") {
    findings.require(/^[a-zA-Z0-9_-]+$/.test(textOr(id)), "call-id", `${place}: ${shown}`);
    findings.require(nameRule.test(textOr(name)), "call-name", `${place}: ${shown}`);
    findings.require(isObject(input), "call-input", `${place}: ${JSON.stringify(input)}`);
  }
  if (type !== "tool_result") return;
  const parts = recordsOf(content);
  for (const part of parts) checkBlock(part, `${place}.content`, findings);
  const isText = parts.every((part) => part["type"] === "text");
  findings.require(isError !== true || isText, "output-error", `${place}: an error with more than text`);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkImage({ source }: Block, place: string, findings: Findings<Rule>): void {
  const { type, media_type: mediaType, data } = recordOf(source);
  const holds = type === "url" || isImage(mediaType, data, webImages);
  findings.require(holds, "image-data", `${place}: ${String(mediaType)}`);
}

function checkDocument({ source }: Block, place: string, findings: Findings<Rule>): void {
  const { type, media_type: mediaType, data } = recordOf(source);
  const isText = type === "text" && mediaType === "text/plain" && hasWords(data);
  const holds = isText || type === "url" || type === "file" || (type === "base64" && isPdf(mediaType, data));
  findings.require(holds, "file-data", `${place}: ${String(type)} of the type ${String(mediaType)}`);
}

function checkPairs(messages: readonly Block[], findings: Findings<Rule>): void {
  const seen = new Set<unknown>();
  let open: unknown[] = [];
  for (const [at, { content }] of messages.entries()) {
    const blocks = recordsOf(content);
    const place = `messages[${at}]`;
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block["tool_use_id"]);
    const first = blocks.slice(0, results.length).every(({ type }) => type === "tool_result");
    const isAnswered = open.every((id) => results.filter((one) => one === id).length === 1);
    findings.require(
      open.length === 0 || (isAnswered && first),
      "calls-answered",
      `${place}: ${open.join()}`,
    );
    for (const id of results)
      findings.require(open.includes(id), "output-has-call", `${place}: no call ${JSON.stringify(id)}`);
    open = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    for (const id of open) {
      findings.require(!seen.has(id), "call-id", `${place}: ${JSON.stringify(id)} is used twice`);
      seen.add(id);
    }
  }
  findings.require(open.length === 0, "calls-answered", `no results of ${open.join()}`);
}

function checkTools(tools: readonly Block[], findings: Findings<Rule>): void {
  const names = tools.map(({ name }) => textOr(name));
  for (const [at, { input_schema: schema }] of tools.entries()) {
    const name = names[at]!;
    const isUnique = names.indexOf(name) === at;
    const holds = nameRule.test(name) && isUnique && recordOf(schema)["type"] === "object";
    findings.require(holds, "tool-definition", `tools[${at}]: ${name}`);
    const args = Object.keys(recordOf(recordOf(schema)["properties"]));
    findings.require(
      args.every((arg) => argumentRule.test(arg)),
      "tool-schema",
      `tools[${at}]: ${name}`,
    );
  }
}
