import { parsedOr, recordOf, recordsOf, usualUsage, type ProviderApi, type Spoken } from "./api.ts";
import { checkGemini, geminiRules } from "./gemini-rules.ts";

/** Google's Gemini API, for `startProvider`. */
export const geminiApi: ProviderApi = {
  name: "Gemini",
  model: "google:m",
  baseUrl: (origin) => `${origin}/v1beta`,
  body: (spoken) => ({
    responseId: "r1",
    modelVersion: "m",
    candidates: [
      { index: 0, content: { role: "model", parts: partsOf(spoken) }, finishReason: reasonOf(spoken) },
    ],
    ...usageOf(spoken),
  }),
  events: (spoken) => [geminiApi.body(spoken)],
  outputs: ({ contents }) =>
    recordsOf(contents)
      .flatMap(({ parts }) => recordsOf(parts))
      .flatMap(({ functionResponse: output }) => {
        if (output === undefined) return [];
        const { id, response } = recordOf(output);
        return [[typeof id === "string" ? id : "", JSON.stringify(response)] as const];
      }),
  segments: ({ tools, systemInstruction, contents }) => [
    tools ?? [],
    systemInstruction ?? "",
    ...recordsOf(contents),
  ],
  rules: geminiRules,
  check: checkGemini,
  overflow: (tokens, window) => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
        status: "INVALID_ARGUMENT",
      },
    },
  }),
};

function partsOf({ text, reasoning, calls = [] }: Spoken): readonly object[] {
  return [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id, name, arguments: given }) => ({
      functionCall: { id, name, args: parsedOr(given) },
      ...(reasoning !== undefined && { thoughtSignature: reasoning }),
    })),
  ];
}

function reasonOf({ stop }: Spoken): string {
  if (stop === undefined) return "STOP";
  return stop === "length" ? "MAX_TOKENS" : "SAFETY";
}

function usageOf({ usage = usualUsage }: Spoken): object {
  if (usage === null) return {};
  return {
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output - usage.reasoning,
      thoughtsTokenCount: usage.reasoning,
      totalTokenCount: usage.input + usage.output,
    },
  };
}
