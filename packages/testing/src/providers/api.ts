/** What a scripted model answers, in no provider's format. */
export interface Spoken {
  readonly text?: string;
  /** What only its provider can read: encrypted reasoning, or the signature of a thought. */
  readonly reasoning?: string;
  readonly calls?: readonly SpokenCall[];
  /** Why the answer is not whole. */
  readonly stop?: "length" | "filter";
  /** Tokens that the answer reports; null for a server that reports none. */
  readonly usage?: SpokenUsage | null;
}

/** A call of a scripted model. `arguments` is what the model wrote, JSON or not. */
export interface SpokenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Tokens of one request. `input` counts the cached ones, `output` those of reasoning. */
export interface SpokenUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What an answer reports when a script says nothing else. */
export const usualUsage: SpokenUsage = { input: 10, cached: 4, output: 6, reasoning: 2 };

/** The body of a request, in the provider's format. */
export type ProviderRequest = Readonly<Record<string, unknown>>;

/** A rule of an API that a request breaks. */
export interface BrokenRule {
  readonly rule: string;
  /** Says what breaks the rule, and where in the request it is. */
  readonly problem: string;
}

/** One provider's API: how it writes an answer, and what it demands of a request. */
export interface ProviderApi {
  readonly name: string;
  /** What a plan of toolmount writes for its model. */
  readonly model: string;
  readonly baseUrl: (origin: string) => string;
  body(spoken: Spoken): object;
  /** Data of server-sent events. */
  events(spoken: Spoken): readonly object[];
  /** The outputs of calls in a request, by call id, in their order. */
  outputs(request: ProviderRequest): readonly (readonly [string, string])[];
  /** What the server's cache compares, in order: tools, instructions, then each message. */
  segments(request: ProviderRequest): readonly unknown[];
  /** The rules that a request has to follow, by name, each in one sentence. */
  readonly rules: Readonly<Record<string, string>>;
  check(request: ProviderRequest): readonly BrokenRule[];
  /** The error of a request that has more tokens than the model's window. */
  overflow(tokens: number, window: number): { readonly status: number; readonly body: object };
}

/** A list of broken rules that checks add to. */
export class Findings<Rule extends string> {
  readonly broken: { readonly rule: Rule; readonly problem: string }[] = [];

  /** Adds a finding unless `holds`. */
  require(holds: boolean, rule: Rule, problem: string): void {
    if (!holds) this.broken.push({ rule, problem });
  }
}

/** A value as a record; any other value is an empty one. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** A value as a list of records; any other value is an empty list. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** A value as text; any value that is not a text is empty. */
export function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The JSON value of a text; an empty object for a text that is not JSON. */
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

/** Whether no text in a request has half of a surrogate pair, which is not JSON that servers read. */
export function isWellFormed(request: unknown): boolean {
  return !/(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(JSON.stringify(request));
}

/** The type of an image by its first bytes; null for bytes that are of no known type. */
function sniffImage(base64: string): string | null {
  const head = Buffer.from(base64.slice(0, 24), "base64").toString("latin1");
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.slice(8, 12) === "WEBP" ? "image/webp" : null;
}

/** Types of images that most servers read. */
export const webImages = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Checks a file in base64: a PDF, the one type that the servers of all APIs read. */
export function isPdf(mediaType: unknown, data: unknown): boolean {
  return mediaType === "application/pdf" && textOr(data).startsWith("JVBERi"); // %PDF-
}

/** Media type and base64 of a `data:` address; both undefined for another address. */
export function readDataUrl(url: unknown): readonly [string | undefined, string | undefined] {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(textOr(url)) ?? [];
  return [mediaType, data];
}

/** Checks an image in base64: a type that the server reads, which is also the type of its bytes. */
export function isImage(mediaType: unknown, data: unknown, allowed: readonly string[]): boolean {
  if (typeof mediaType !== "string" || typeof data !== "string" || data === "") return false;
  return allowed.includes(mediaType) && (sniffImage(data) ?? mediaType) === mediaType;
}
