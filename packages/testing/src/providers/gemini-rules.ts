import {
  Findings,
  isImage,
  isPdf,
  isWellFormed,
  recordOf,
  recordsOf,
  textOr,
  type BrokenRule,
  type ProviderRequest,
} from "./api.ts";

/** The rules of the Gemini API for requests. Source: its API reference, and the errors of its server. */
export const geminiRules = {
  "contents-not-empty": "`contents` has at least one content.",
  "content-role": "A content's role is user or model.",
  "user-first": "The first content is one of the user.",
  "user-last": "The last content is one of the user.",
  "parts-not-empty": "A content has at least one part, and each part has exactly one kind of data.",
  "text-not-empty": "A part of text is not empty.",
  "image-data": "An image is png, jpeg, webp, heic or heif, and its bytes are of that type.",
  "file-data": "Data that is no image and no text is a PDF by its type and its bytes.",
  "call-name":
    "A function's name begins with a letter or _ and has at most 64 of a-z, A-Z, 0-9, _, ., : and -.",
  "call-args": "A call's args are an object.",
  "call-order": "A content with calls comes right after a content of the user.",
  "calls-answered": "The content after calls has one response for each call, in their names.",
  "output-has-call": "A response answers a call of the content before it.",
  "output-object": "A response is an object.",
  "tool-definition": "A function has a unique name that follows the rule for names.",
  "text-well-formed": "No text has half of a surrogate pair.",
} as const;

type Rule = keyof typeof geminiRules;
type Part = Readonly<Record<string, unknown>>;

const nameRule = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const images = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
const kinds = ["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode"];

/** Returns the rules of the Gemini API that a request breaks. */
export function checkGemini(request: ProviderRequest): readonly BrokenRule[] {
  const findings = new Findings<Rule>();
  const contents = recordsOf(request["contents"]);
  findings.require(contents.length > 0, "contents-not-empty", "contents is empty");
  findings.require(contents[0]?.["role"] === "user", "user-first", "contents[0] is not of the user");
  findings.require(contents.at(-1)?.["role"] === "user", "user-last", "the last content is not of the user");
  let calls: readonly Part[] = [];
  let before: unknown = "user";
  for (const [at, { role, parts: given }] of contents.entries()) {
    const place = `contents[${at}]`;
    const parts = recordsOf(given);
    findings.require(role === "user" || role === "model", "content-role", `${place}: ${String(role)}`);
    findings.require(parts.length > 0, "parts-not-empty", `${place}: no parts`);
    for (const part of parts) checkPart(part, place, findings);
    checkAnswers(calls, parts, place, findings);
    calls = parts.flatMap(({ functionCall: call }) => (call === undefined ? [] : [recordOf(call)]));
    const isAfterUser = calls.length === 0 || (role === "model" && before === "user");
    findings.require(isAfterUser, "call-order", `${place}: calls after a content of the model`);
    before = role;
  }
  findings.require(calls.length === 0, "calls-answered", "the last calls have no responses");
  checkTools(request["tools"], findings);
  findings.require(isWellFormed(request), "text-well-formed", "the body has a lone surrogate");
  return findings.broken;
}

function checkPart(part: Part, place: string, findings: Findings<Rule>): void {
  const { text, inlineData, functionCall, functionResponse } = part;
  const found = kinds.filter((kind) => kind in part);
  findings.require(found.length === 1, "parts-not-empty", `${place}: a part with ${found.join(" and ")}`);
  if ("text" in part)
    findings.require(typeof text === "string" && text !== "", "text-not-empty", `${place}: empty text`);
  if (inlineData !== undefined) checkData(recordOf(inlineData), place, findings);
  if (functionCall !== undefined) {
    const { name, args } = recordOf(functionCall);
    findings.require(nameRule.test(String(name)), "call-name", `${place}: ${JSON.stringify(name)}`);
    findings.require(isObject(args), "call-args", `${place}: ${JSON.stringify(args)}`);
  }
  if (functionResponse === undefined) return;
  const { name, response, parts } = recordOf(functionResponse);
  for (const { inlineData: data } of recordsOf(parts)) checkData(recordOf(data), place, findings);
  findings.require(nameRule.test(String(name)), "call-name", `${place}: ${JSON.stringify(name)}`);
  findings.require(isObject(response), "output-object", `${place}: ${JSON.stringify(response)}`);
}

function checkData({ mimeType, data }: Part, place: string, findings: Findings<Rule>): void {
  const type = String(mimeType);
  if (type.startsWith("image/"))
    return findings.require(isImage(mimeType, data, images), "image-data", `${place}: ${type}`);
  const isText = type.startsWith("text/") && textOr(data) !== "";
  findings.require(isText || isPdf(mimeType, data), "file-data", `${place}: ${type}`);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkAnswers(
  calls: readonly Part[],
  parts: readonly Part[],
  place: string,
  findings: Findings<Rule>,
): void {
  const answers = parts.flatMap(({ functionResponse: one }) => (one === undefined ? [] : [recordOf(one)]));
  const namesOf = (list: readonly Part[]) =>
    list
      .map(({ name }) => String(name))
      .toSorted()
      .join();
  if (calls.length === 0)
    return findings.require(answers.length === 0, "output-has-call", `${place}: responses without calls`);
  const isAnswered = namesOf(calls) === namesOf(answers);
  findings.require(isAnswered, "calls-answered", `${place}: ${namesOf(answers)} for ${namesOf(calls)}`);
}

function checkTools(tools: unknown, findings: Findings<Rule>): void {
  const declared = recordsOf(tools).flatMap(({ functionDeclarations: list }) => recordsOf(list));
  const names = declared.map(({ name }) => textOr(name));
  for (const [at, name] of names.entries()) {
    const isUnique = names.indexOf(name) === at;
    findings.require(
      nameRule.test(name) && isUnique,
      "tool-definition",
      `functionDeclarations[${at}]: ${name}`,
    );
  }
}
