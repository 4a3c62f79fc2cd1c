import { boundedFetch } from "@toolmount/core/json";
import { modelError } from "./model.ts";
import { isRecord, parseJson, readText, type Members } from "../schema/guards.ts";

const megabyte = 1024 * 1024;

/** Limits of one answer. A stream has an event for each token, which adds some hundred bytes to the token itself. */
const bounds = { messageBytes: 16 * megabyte, streamBytes: 64 * megabyte };

/**
 * Makes a fetch for the client of a model. An answer that is larger than these limits, or has too many values to be parsed,
 * ends with `PROVIDER_FAILED`. The request is not retried, because the next answer would be as large.
 */
export function modelFetch(address: { readonly provider: string; readonly model: string }): typeof fetch {
  const refuse = (problem: string) =>
    modelError({
      ...address,
      kind: "stream",
      problem: `the answer cannot be read: ${problem}; set maxOutputTokens, or check the server`,
      retryable: false,
    });
  return boundedFetch<Parameters<typeof fetch>[0]>((...given) => fetch(...given), bounds, refuse);
}

/**
 * Wraps a fetch so that it asks a Chat Completions server for structured output in a form that the server takes: by a schema,
 * as a JSON object, or only in words. If the server refuses a form, that form is not tried again.
 */
export function withOutputForms(fetchModel: typeof fetch): typeof fetch {
  let refused = 0;
  return async (...[url, init]) => {
    const body = parseJson(readText(init?.body));
    if (!isRecord(body) || !isRecord(body["response_format"])) return fetchModel(url, init);
    for (;;) {
      const sent = refused === 0 ? readText(init?.body) : JSON.stringify(forms[refused - 1]!(body));
      const response = await fetchModel(url, { ...init, body: sent });
      if (!statuses.has(response.status) || refused === forms.length) return response;
      const text = await response.text();
      if (!words.test(text)) return new Response(text, response);
      refused++;
    }
  };
}

const statuses: ReadonlySet<number> = new Set([400, 422, 501]);

/** Words by which a server refuses a form. Sources: the errors of DeepSeek, Groq, OpenAI, llama.cpp, LM Studio and vLLM. */
const words =
  /response_?format|json.?schema|json.?object|json.?mode|structured.?output|guided|grammar|output.?format/i;

/** The forms to try after the schema was refused, in this order. */
const forms: readonly ((body: Members) => Members)[] = [
  (body) => ({ ...withOrder(body), response_format: { type: "json_object" } }),
  (body) => {
    const { response_format: _, ...rest } = withOrder(body);
    return rest;
  },
];

/** Returns a request that asks for the schema in words, unless its instructions already do. */
function withOrder(body: Members): Members {
  const { messages: given, response_format: form } = body;
  const messages = Array.isArray(given) ? given.filter(isRecord) : [];
  const [first] = messages;
  const isFirst = first?.["role"] === "system";
  const instructions = isFirst ? readText(first["content"]) : "";
  if (instructions.includes("JSON Schema")) return body;
  const { schema } = isRecord(form) && isRecord(form["json_schema"]) ? form["json_schema"] : { schema: {} };
  const order = `Answer with one JSON value that this JSON Schema accepts, and with nothing else:\n${JSON.stringify(schema)}`;
  const content = instructions === "" ? order : `${instructions}\n\n${order}`;
  return { ...body, messages: [{ role: "system", content }, ...messages.slice(isFirst ? 1 : 0)] };
}
