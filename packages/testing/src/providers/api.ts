/** An answer of a scripted model, in a form that belongs to no provider. */
export interface Spoken {
  readonly text?: string;
  /** Data that only the provider of the answer can read: encrypted reasoning, or the signature of a thought. */
  readonly reasoning?: string;
  readonly calls?: readonly SpokenCall[];
  /** Why the answer is incomplete; absent if it is complete. */
  readonly stop?: "length" | "filter";
  /** Tokens that the answer reports; null for a server that does not report them. */
  readonly usage?: SpokenUsage | null;
}

/** A call of a scripted model. `arguments` is what the model wrote, JSON or not. */
export interface SpokenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Tokens of one request. `input` includes the cached tokens, and `output` those of reasoning. */
export interface SpokenUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** The tokens that an answer reports if the script does not state them. */
export const usualUsage: SpokenUsage = { input: 10, cached: 4, output: 6, reasoning: 2 };

/** The body of a request, in the provider's format. */
export type ProviderRequest = Readonly<Record<string, unknown>>;

/** A rule of an API that a request breaks. */
export interface BrokenRule {
  readonly rule: string;
  /** What breaks the rule, and where in the request it is. */
  readonly problem: string;
}

/** The API of a provider: how it writes answers, and what it requires of requests. */
export interface ProviderApi {
  readonly name: string;
  /** The name of the API's model in a plan of toolmount. */
  readonly model: string;
  readonly baseUrl: (origin: string) => string;
  body(spoken: Spoken): object;
  /** Returns the data of the server-sent events of an answer. */
  events(spoken: Spoken): readonly object[];
  /** Returns the outputs of calls in a request, each with its call id, in their order. */
  outputs(request: ProviderRequest): readonly (readonly [string, string])[];
  /** Returns the parts of a request that the server's cache compares, in order: tools, instructions, then each message. */
  segments(request: ProviderRequest): readonly unknown[];
  /** The rules that a request must follow, by name, each in one sentence. */
  readonly rules: Readonly<Record<string, string>>;
  check(request: ProviderRequest): readonly BrokenRule[];
  /** Returns the error for a request that has more tokens than the model's window. */
  overflow(tokens: number, window: number): { readonly status: number; readonly body: object };
}

/** Collects broken rules. */
export class Findings<Rule extends string> {
  readonly broken: { readonly rule: Rule; readonly problem: string }[] = [];

  /** Adds a broken rule unless `holds`. */
  require(holds: boolean, rule: Rule, problem: string): void {
    if (!holds) this.broken.push({ rule, problem });
  }
}

/** Returns a value if it is a record, or else an empty record. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Returns a list as a list of records; an empty list for any other value. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** Returns a value if it is a text, or else an empty text. */
export function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the JSON value of a text; an empty object if the text is not JSON. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Whether a value is text with more than white space. */
export function hasWords(value: unknown): boolean {
  return typeof value === "string" && /\S/.test(value);
}

/** Whether no text in a request has half of a surrogate pair, which servers do not accept as JSON. */
export function isWellFormed(request: unknown): boolean {
  return !/(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(JSON.stringify(request));
}

/** Returns the type of an image by its first bytes; null if they belong to no known type. */
function sniffImage(base64: string): string | null {
  const head = Buffer.from(base64.slice(0, 24), "base64").toString("latin1");
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.slice(8, 12) === "WEBP" ? "image/webp" : null;
}

/** Types of images that most servers accept. */
export const webImages = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Whether a file in base64 is a PDF, which is the only type that the servers of all APIs accept. */
export function isPdf(mediaType: unknown, data: unknown): boolean {
  return mediaType === "application/pdf" && textOr(data).startsWith("JVBERi"); // %PDF-
}

/** Returns the media type and the base64 of a `data:` address; both are undefined for another address. */
export function readDataUrl(url: unknown): readonly [string | undefined, string | undefined] {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(textOr(url)) ?? [];
  return [mediaType, data];
}

/** Whether a value is an image in base64 of a type that the server accepts, and its bytes are of that type. */
export function isImage(mediaType: unknown, data: unknown, allowed: readonly string[]): boolean {
  if (typeof mediaType !== "string" || typeof data !== "string" || data === "") return false;
  return allowed.includes(mediaType) && (sniffImage(data) ?? mediaType) === mediaType;
}

/** Whether each list in a schema has `items`, and no pattern looks around: OpenAI refuses the whole request for one. */
export function isSchemaOfOpenAi(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isSchemaOfOpenAi);
  const node = recordOf(schema);
  const isList = [node["type"]].flat().includes("array");
  const looksAround = typeof node["pattern"] === "string" && /\(\?<?[=!]/.test(node["pattern"]);
  if ((isList && node["items"] === undefined) || looksAround) return false;
  return Object.values(node).every(isSchemaOfOpenAi);
}
