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

/** The rules of Chat Completions for requests. Source: OpenAI's API reference, and the errors of OpenAI's and vLLM's servers. */
export const chatRules = {
  "messages-not-empty": "`messages` has at least one message of the user, the assistant or a tool.",
  "message-role": "A message's role is system, developer, user, assistant or tool.",
  "user-content": "A user's content is text, or parts of the type text, image_url, input_audio or file.",
  "assistant-content": "A message of the assistant has content or calls.",
  "call-id": "A call's id has 1 to 40 characters, and no two calls of one message have the same.",
  "call-name": "A call's name has 1 to 64 of the characters a-z, A-Z, 0-9, _ and -.",
  "call-arguments": "A call's arguments are the text of a JSON object; vLLM refuses other text.",
  "calls-answered": "A message with calls is followed at once by one message of a tool for each call.",
  "output-has-call": "A message of a tool answers a call of the message before it.",
  "output-content": "A tool's content is text, or parts of the type text.",
  "image-data": "An image is png, jpeg, webp or gif, and its bytes are of that type.",
  "file-data": "A file has a name, and is a PDF by its type and its bytes.",
  "tool-schema": "A list in a tool's schema has `items`, and no pattern looks around.",
  "tool-definition": "A tool has a unique name of 1 to 64 characters and a schema of the type object.",
  "text-well-formed": "No text has half of a surrogate pair.",
} as const;

type Rule = keyof typeof chatRules;
type Message = Readonly<Record<string, unknown>>;

const nameRule = /^[a-zA-Z0-9_-]{1,64}$/;
const roles = ["system", "developer", "user", "assistant", "tool"];

/** Returns the rules of Chat Completions that a request breaks. */
export function checkChat(request: ProviderRequest): readonly BrokenRule[] {
  const findings = new Findings<Rule>();
  const messages = recordsOf(request["messages"]);
  const isSaid = messages.some(({ role }) => role !== "system" && role !== "developer");
  findings.require(isSaid, "messages-not-empty", "nothing was said");
  let open: unknown[] = [];
  for (const [at, message] of messages.entries()) {
    const place = `messages[${at}]`;
    const { role, tool_call_id: id } = message;
    findings.require(roles.includes(String(role)), "message-role", `${place}: ${JSON.stringify(role)}`);
    if (role === "tool") {
      findings.require(open.includes(id), "output-has-call", `${place}: no call ${JSON.stringify(id)}`);
      open = open.filter((other) => other !== id);
      checkOutput(message, place, findings);
      continue;
    }
    findings.require(open.length === 0, "calls-answered", `${place}: no output of ${open.join(", ")}`);
    open = role === "assistant" ? checkAssistant(message, place, findings) : [];
    if (role === "user") checkUser(message, place, findings);
  }
  findings.require(open.length === 0, "calls-answered", `no output of ${open.join(", ")}`);
  checkTools(recordsOf(request["tools"]), findings);
  findings.require(isWellFormed(request), "text-well-formed", "the body has a lone surrogate");
  return findings.broken;
}

function checkOutput({ content }: Message, place: string, findings: Findings<Rule>): void {
  const parts = recordsOf(content);
  const isText =
    typeof content === "string" || (parts.length > 0 && parts.every(({ type }) => type === "text"));
  findings.require(isText, "output-content", `${place}: ${JSON.stringify(content)?.slice(0, 80)}`);
}

function checkUser({ content }: Message, place: string, findings: Findings<Rule>): void {
  if (typeof content === "string") return;
  const parts = recordsOf(content);
  findings.require(parts.length > 0, "user-content", `${place}: no content`);
  for (const { type, image_url: image, file } of parts) {
    const isKnown = ["text", "image_url", "input_audio", "file"].includes(String(type));
    findings.require(isKnown, "user-content", `${place}: a part of the type ${JSON.stringify(type)}`);
    if (type === "file") checkFile(recordOf(file), place, findings);
    if (type !== "image_url") continue;
    const url = String(recordOf(image)["url"]);
    const [mediaType, data] = readDataUrl(url);
    const holds = url.startsWith("https://") || isImage(mediaType, data, webImages);
    findings.require(holds, "image-data", `${place}: ${mediaType}`);
  }
}

function checkFile(file: Message, place: string, findings: Findings<Rule>): void {
  const isNamed = textOr(file["filename"]) !== "" && isPdf(...readDataUrl(file["file_data"]));
  findings.require(isNamed || textOr(file["file_id"]) !== "", "file-data", `${place}: a file`);
}

/** Checks a message of the assistant. Returns the ids of its calls. */
function checkAssistant({ content, tool_calls: given }: Message, place: string, findings: Findings<Rule>) {
  const calls = recordsOf(given);
  const isSaid = (typeof content === "string" && content !== "") || recordsOf(content).length > 0;
  findings.require(isSaid || calls.length > 0, "assistant-content", `${place}: neither content nor calls`);
  const ids = calls.map(({ id }) => id);
  for (const [at, { id, function: called }] of calls.entries()) {
    const { name, arguments: text } = recordOf(called);
    const isId = typeof id === "string" && id.length >= 1 && id.length <= 40 && ids.indexOf(id) === at;
    findings.require(isId, "call-id", `${place}: ${JSON.stringify(id)}`);
    findings.require(nameRule.test(textOr(name)), "call-name", `${place}: ${JSON.stringify(name)}`);
    findings.require(isObjectText(text), "call-arguments", `${place}: ${JSON.stringify(text)}`);
  }
  return ids;
}

function isObjectText(text: unknown): boolean {
  try {
    const value: unknown = typeof text === "string" ? JSON.parse(text) : null;
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function checkTools(tools: readonly Message[], findings: Findings<Rule>): void {
  const names = tools.map((tool) => textOr(recordOf(tool["function"])["name"]));
  for (const [at, tool] of tools.entries()) {
    const isObject = recordOf(recordOf(tool["function"])["parameters"])["type"] === "object";
    const name = names[at]!;
    const isUnique = names.indexOf(name) === at;
    findings.require(nameRule.test(name) && isUnique && isObject, "tool-definition", `tools[${at}]: ${name}`);
    findings.require(
      isSchemaOfOpenAi(recordOf(tool["function"])["parameters"]),
      "tool-schema",
      `tools[${at}]: ${name}`,
    );
  }
}
