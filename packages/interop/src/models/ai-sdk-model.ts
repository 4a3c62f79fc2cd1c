import { ToolmountError } from "@toolmount/core";
import type { Model, ModelAbilities, ModelPart, ModelRequest, ModelRules } from "./model.ts";
import { readAiSdkError } from "./ai-sdk-error.ts";
import type { AiSdkLanguageModel, AiSdkOptions, AiSdkRequest } from "./ai-sdk-types.ts";
import { knownContextTokens } from "./context-windows.ts";
import { toPrompt } from "./prompt.ts";
import { merged, PartReader } from "./read-parts.ts";
import { withTextCalls } from "./text-calls.ts";
import { withThoughts } from "./text-thoughts.ts";

/** Facts of one provider. */
export interface AiSdkModelOptions {
  /** The server's host and port, or the provider's name. Default: the SDK's name of the provider. */
  readonly provider?: string | undefined;
  /** The environment variable from which a command takes the key: an error about the key names it. */
  readonly keyVariable?: string | undefined;
  /** Most milliseconds of one request. */
  readonly timeoutMs?: number | undefined;
  /** Set on the instructions and the last message, for providers that cache only what is marked. */
  readonly cacheMark?: AiSdkOptions | undefined;
  /** Sent when only one call at a time is wanted. */
  readonly oneCallOptions?: AiSdkOptions | undefined;
  /** Sent with a schema of the answer that strict mode cannot express. */
  readonly looseOutputOptions?: AiSdkOptions | undefined;
  /** What the model can do, where it is known. Default: everything but server-side state. */
  readonly abilities?: Partial<ModelAbilities> | undefined;
  /** The model's window, where the server says it. Default: that of a known model of this name. */
  readonly contextTokens?: number | undefined;
  /** Whether the server may leave calls in the text, as the model wrote them. */
  readonly callsInText?: boolean | undefined;
  /** What the server takes of a conversation, where it is known. */
  readonly rules?: ModelRules | undefined;
}

/**
 * A language model of the AI SDK (specification v3 or v4) as a model of ours. What only its provider understands of an
 * item is kept in the item's `provider_metadata` and given back. Throws `OPTION_INVALID` for specification v2.
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

/** A request for a stream in which the server's events come, too, so that the arguments of calls can be checked. */
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
