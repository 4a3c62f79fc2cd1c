import { modelError, type ModelItem, type ModelPart, type ModelUsage } from "./model.ts";
import { isRecord } from "../schema/guards.ts";
import type { ModelAddress } from "./ai-sdk-error.ts";
import { withEcho } from "./chat-echo.ts";
import { WrittenArguments } from "./written-arguments.ts";
import type { AiSdkAnswer, AiSdkMetadata, AiSdkPart, AiSdkUsage, AiSdkWarning } from "./ai-sdk-types.ts";

/** A block of the answer that is still being streamed. */
interface Block {
  readonly index: number;
  readonly kind: "message" | "reasoning";
  text: string;
  metadata: AiSdkMetadata | undefined;
}

/** Builds an answer from the parts of a stream of the AI SDK. */
export class PartReader {
  readonly #address: ModelAddress;
  /** The provider's name in the metadata that is kept. */
  readonly #provider: string;
  readonly #blocks = new Map<string, Block>();
  readonly #items: { readonly index: number; readonly item: ModelItem }[] = [];
  #model: string;
  #count = 0;
  #isFinished = false;
  #isStreamed = false;
  readonly #arguments = new WrittenArguments();

  constructor(address: ModelAddress, provider: string) {
    this.#address = address;
    this.#provider = provider;
    this.#model = address.model;
  }

  /** Reads a stream. Throws `PROVIDER_FAILED` if the stream reports an error, or if it ends without a final part. */
  async *stream(parts: AsyncIterable<AiSdkPart>): AsyncIterable<ModelPart> {
    this.#isStreamed = true;
    for await (const part of parts) yield* this.#read(part);
    if (!this.#isFinished) throw this.#unfinished();
  }

  #unfinished() {
    const problem = "the stream ended before the answer did";
    return modelError({ ...this.#address, kind: "stream", problem });
  }

  /** Reads an answer in one piece. */
  *answer({ content, warnings, response, ...end }: AiSdkAnswer): Iterable<ModelPart> {
    this.#model = response?.modelId ?? this.#model;
    this.#arguments.event(response?.body);
    yield* this.#read({ type: "stream-start", warnings });
    for (const [at, part] of content.entries()) {
      const { type, text = "", providerMetadata } = part;
      const metadata = providerMetadata === undefined ? {} : { providerMetadata };
      if (type !== "text" && type !== "reasoning") yield* this.#read(part);
      else {
        const id = `${at}`;
        yield* this.#read({ type: `${type}-start`, id });
        yield* this.#read({ type: `${type}-delta`, id, delta: text });
        yield* this.#read({ type: `${type}-end`, id, ...metadata });
      }
    }
    yield* this.#read({ type: "finish", ...end });
  }

  *#read(part: AiSdkPart): Iterable<ModelPart> {
    switch (part.type) {
      case "stream-start":
        yield* omittedBy(part.warnings ?? []);
        break;
      case "response-metadata":
        this.#model = part.modelId ?? this.#model;
        break;
      case "text-start":
      case "reasoning-start":
        yield this.#begin(part);
        break;
      case "text-delta":
      case "reasoning-delta":
        yield* this.#extend(part);
        break;
      case "text-end":
      case "reasoning-end":
        yield* this.#end(part);
        break;
      case "tool-call":
        yield* this.#call(part);
        break;
      case "raw":
        this.#arguments.event(part.rawValue);
        break;
      case "error":
        throw part.error;
      case "finish":
        yield this.#finish(part);
        break;
      default:
    }
  }

  #begin({ type, id = "", providerMetadata }: AiSdkPart): ModelPart {
    const kind = type === "text-start" ? "message" : "reasoning";
    const block: Block = { index: this.#count++, kind, text: "", metadata: providerMetadata };
    this.#blocks.set(`${kind} ${id}`, block);
    return { type: "begin", index: block.index, kind };
  }

  #blockOf({ type, id = "" }: AiSdkPart): Block | undefined {
    return this.#blocks.get(`${type.startsWith("text") ? "message" : "reasoning"} ${id}`);
  }

  *#extend(part: AiSdkPart): Iterable<ModelPart> {
    const block = this.#blockOf(part);
    if (block === undefined) return;
    const { delta = "", providerMetadata } = part;
    block.text += delta;
    block.metadata = merged(block.metadata, providerMetadata);
    const { index } = block;
    if (delta !== "") yield { type: block.kind === "message" ? "text" : "reasoning", index, text: delta };
  }

  *#end(part: AiSdkPart): Iterable<ModelPart> {
    const block = this.#blockOf(part);
    if (block === undefined) return;
    this.#blocks.delete(`${block.kind} ${part.id ?? ""}`);
    block.metadata = merged(block.metadata, part.providerMetadata);
    const { index, kind, text } = block;
    if (text === "" && block.metadata === undefined) return;
    const item: ModelItem =
      kind === "message"
        ? { type: "message", role: "assistant", content: [{ type: "output_text", text }] }
        : { type: "reasoning", summary: text === "" ? [] : [{ type: "summary_text", text }] };
    // Reasoning always names its provider, so that no other provider gets it.
    yield this.#keep(index, item, block.metadata ?? (kind === "reasoning" ? {} : undefined));
  }

  *#call({
    toolCallId = "",
    toolName = "",
    input,
    providerExecuted,
    providerMetadata,
  }: AiSdkPart): Iterable<ModelPart> {
    const given = typeof input === "string" ? input : JSON.stringify(input ?? {});
    this.#arguments.call(given);
    if (providerExecuted === true) return; // the provider answers its own calls
    const index = this.#count++;
    yield { type: "begin", index, kind: "function_call" };
    const item = { type: "function_call", call_id: toolCallId, name: toolName, arguments: given };
    yield this.#keep(index, item, providerMetadata);
  }

  #keep(index: number, item: ModelItem, metadata: AiSdkMetadata | undefined): ModelPart {
    const own = metadata === undefined ? {} : { provider_metadata: { provider: this.#provider, metadata } };
    const kept = { ...item, ...own } as ModelItem;
    this.#items.push({ index, item: kept });
    return { type: "item", index, item: kept };
  }

  #finish({ usage, finishReason, providerMetadata }: AiSdkPart): ModelPart {
    this.#isFinished = true;
    const sent = this.#items.toSorted((a, b) => a.index - b.index).map(({ item }) => item);
    const items = withEcho(sent, providerMetadata, {
      server: this.#address.provider,
      provider: this.#provider,
    });
    const reason = finishReason?.unified ?? "other";
    if (reason === "error") {
      const { raw = "no reason" } = finishReason ?? {};
      const kind = invalidCalls.has(raw) ? "invalid_tool_call" : "unavailable";
      throw modelError({ ...this.#address, kind, problem: `the model ended with an error: ${raw}` });
    }
    if (this.#isStreamed && isUnfinished(finishReason)) throw this.#unfinished();
    if (this.#arguments.isDoubtful) {
      const problem = "it sent arguments that belong to none of its calls";
      throw modelError({ ...this.#address, kind: "stream", problem });
    }
    const incomplete = cuts[reason] ?? cutBy(finishReason?.raw);
    return { type: "finish", items, usage: usageOf(usage), responseId: null, model: this.#model, incomplete };
  }
}

/** Finish reasons of an answer with a call that the server refused. Source: ai.google.dev/api, FinishReason. */
const invalidCalls: ReadonlySet<string> = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"]);

/** The Responses API's words for finish reasons of an incomplete answer. */
const cuts: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  "content-filter": "content_filter",
};

/**
 * Whether the stream ended without a reason by the server. Packages of providers report this as `interrupted`, or as `other`
 * without the server's own word.
 */
function isUnfinished(reason: AiSdkPart["finishReason"]): boolean {
  return reason?.unified === "interrupted" || (reason?.unified === "other" && reason.raw === undefined);
}

/** Returns the server's own word for an incomplete answer, if the package has none for it; null for any other word. */
function cutBy(word: string | undefined): string | null {
  return word !== undefined && cutWords.test(word) ? word : null;
}

const cutWords =
  /length|limit|context|max_?tokens|incomplete|cut|filter|safety|refusal|recitation|blocklist|prohibited|malformed|pause|interrupt|abort|cancel|error/i;

function* omittedBy(warnings: readonly AiSdkWarning[]): Iterable<ModelPart> {
  for (const { type, feature, message } of warnings)
    if (type === "unsupported") yield { type: "omitted", what: feature ?? message ?? "a setting" };
}

function usageOf(usage: AiSdkUsage | undefined): ModelUsage {
  return {
    requests: 1,
    inputTokens: usage?.inputTokens.total ?? 0,
    cachedTokens: usage?.inputTokens.cacheRead ?? 0,
    outputTokens: usage?.outputTokens.total ?? 0,
    reasoningTokens: usage?.outputTokens.reasoning ?? 0,
  };
}

/** Merges metadata or options of providers, by the providers' names. */
export function merged(
  one: AiSdkMetadata | undefined,
  other: AiSdkMetadata | undefined,
): AiSdkMetadata | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const pairs = names.map((name): [string, Record<string, unknown>] => {
    const value = isRecord(other[name]) ? other[name] : {};
    return [name, { ...one[name], ...value }];
  });
  return Object.fromEntries(pairs);
}
