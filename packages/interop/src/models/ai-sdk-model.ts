import { ToolmountError } from "@toolmount/core";
import type { Model, ModelAbilities, ModelPart, ModelRequest, ModelRules } from "./model.ts";
import { readAiSdkError } from "./ai-sdk-error.ts";
import type { AiSdkLanguageModel, AiSdkOptions, AiSdkRequest } from "./ai-sdk-types.ts";
import { knownContextTokens } from "./context-windows.ts";
import { toPrompt } from "./prompt.ts";
import { merged, PartReader } from "./read-parts.ts";
import { withTextCalls } from "./text-calls.ts";
import { withThoughts } from "./text-thoughts.ts";

/** Facts about one provider, and settings for its requests. */
export interface AiSdkModelOptions {
  /** The server's host and port, or the provider's name. Default: the SDK's name of the provider. */
  readonly provider?: string | undefined;
  /** The environment variable from which a command reads the key; errors about the key name it. */
  readonly keyVariable?: string | undefined;
  /** Longest time for one request, in milliseconds. Default ten minutes. */
  readonly timeoutMs?: number | undefined;
  /** Options for the instructions and for the last message, for providers that cache only marked parts. */
  readonly cacheMark?: AiSdkOptions | undefined;
  /** Options that are sent if the model may make only one call at a time. */
  readonly oneCallOptions?: AiSdkOptions | undefined;
  /** Options that are sent with a schema of the answer for which strict mode is not possible. */
  readonly looseOutputOptions?: AiSdkOptions | undefined;
  /** What the model can do, if known. Default: everything except server-side state. */
  readonly abilities?: Partial<ModelAbilities> | undefined;
  /** The model's window in tokens, if the server states it. Default: that of a known model with this name. */
  readonly contextTokens?: number | undefined;
  /** Whether the server may leave calls in the text in the form in which the model wrote them. */
  readonly callsInText?: boolean | undefined;
  /** Limits of the server for conversations, if known. */
  readonly rules?: ModelRules | undefined;
}

/**
 * Makes a model of ours from a language model of the AI SDK (specification v3 or v4). Data of an item that only its provider
 * understands is kept in the item's `provider_metadata` and sent back. Throws `OPTION_INVALID` for specification v2.
 */
export function createAiSdkModel(language: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  requireVersion(language);
  const { provider = language.provider, timeoutMs = 600_000, abilities, rules } = options;
  const model = language.modelId;
  const address = { provider, model };
  return {
    ...address,
    abilities: { tools: true, parallelCalls: true, streaming: true, ...abilities, serverState: false },
    rules,
    contextTokens: options.contextTokens ?? knownContextTokens(model),
    async *respond(request, { signal }) {
      const late = AbortSignal.timeout(timeoutMs);
      try {
        const abortSignal = AbortSignal.any([signal, late]);
        yield* respond(language, request, { ...options, provider }, abortSignal);
      } catch (error) {
        const isLate = late.aborted && !signal.aborted;
        throw readAiSdkError(error, { ...address, keyVariable: options.keyVariable }, { isLate, timeoutMs });
      }
    },
  };
}

function requireVersion({ specificationVersion: version, provider, modelId }: AiSdkLanguageModel): void {
  if (version === "v3" || version === "v4") return;
  const problem = `"${provider}" implements specification ${JSON.stringify(version)} of the AI SDK; update the package to one for ai 6 or later (v3 or v4)`;
  throw new ToolmountError("OPTION_INVALID", { option: `the model ${modelId}`, problem });
}

async function* respond(
  language: AiSdkLanguageModel,
  request: ModelRequest,
  options: AiSdkModelOptions & { readonly provider: string },
  abortSignal: AbortSignal,
): AsyncIterable<ModelPart> {
  const { instructions, items, settings } = request;
  const { messages, omitted } = toPrompt(instructions, items, language, options.cacheMark, options.provider);
  for (const what of omitted) yield { type: "omitted", what };
  const isOneCallIgnored = !settings.parallelToolCalls && options.oneCallOptions === undefined;
  if (isOneCallIgnored && request.tools.length > 0)
    yield { type: "omitted", what: "parallelToolCalls: false, so an answer may have several calls" };
  const body: AiSdkRequest = { prompt: messages, abortSignal, ...settingsOf(request, options) };
  const reader = new PartReader({ provider: options.provider, model: language.modelId }, language.provider);
  const parts = settings.stream
    ? reader.stream((await language.doStream(withEvents(body))).stream)
    : reader.answer(await language.doGenerate(body));
  yield* options.callsInText === true ? readTags(parts, request.tools, language.provider) : parts;
}

/** Returns a request for a stream that also has the server's own events, so that the arguments of calls can be checked. */
function withEvents(body: AiSdkRequest): AiSdkRequest {
  return body.tools === undefined ? body : { ...body, includeRawChunks: true };
}

/** Reads the thoughts and the calls that a server left in the text. */
function readTags(
  parts: AsyncIterable<ModelPart> | Iterable<ModelPart>,
  tools: ModelRequest["tools"],
  provider: string,
): AsyncIterable<ModelPart> {
  const thought = withThoughts(parts, provider);
  const offered = new Map(tools.map(({ name, schema }) => [name, schema]));
  return tools.length === 0 ? thought : withTextCalls(thought, offered);
}

function settingsOf(
  { tools, settings }: ModelRequest,
  { oneCallOptions, looseOutputOptions }: AiSdkModelOptions,
): Omit<AiSdkRequest, "prompt" | "abortSignal"> {
  const { temperature, maxOutputTokens, reasoning, parallelToolCalls, output } = settings;
  const own = merged(
    parallelToolCalls ? undefined : oneCallOptions,
    output?.strict === false ? looseOutputOptions : undefined,
  );
  const offered = tools.map(({ name, description, schema, strict }) => ({
    type: "function" as const,
    name,
    description,
    inputSchema: schema,
    ...(strict && { strict }),
  }));
  return {
    ...(offered.length > 0 && { tools: offered, toolChoice: { type: "auto" } }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(output !== undefined && {
      responseFormat: { type: "json" as const, schema: output.schema, name: "answer" },
    }),
    ...(reasoning?.effort !== undefined && { reasoning: reasoning.effort as "low" }),
    ...(own !== undefined && { providerOptions: own as AiSdkOptions }),
  };
}
