import type { JsonSchema } from "@toolmount/core";
import { isRecord, parseJson } from "../schema/guards.ts";
import { readPythonCalls, type WrittenCall } from "./python-calls.ts";

/** The tools that a request offers: their schemas by name. */
export type OfferedTools = ReadonlyMap<string, JsonSchema>;

/** A form in which models write calls into the text, if their server does not read these. */
interface Format {
  readonly begins: string;
  /** The closing tag; null if the call reaches to the end of the text. */
  readonly ends: string | null;
  /**
   * Returns the calls in the tag; empty for any other content. `isWhole` is false if the closing tag is missing, which models
   * forget after the last call.
   */
  readonly read: (body: string, offered: OfferedTools, isWhole: boolean) => readonly unknown[];
}

/** The forms, with the models that write them. Sources: the chat templates of these models. */
export const formats: readonly Format[] = [
  // Hermes and Qwen 2 write JSON, Qwen3-Coder functions, GLM pairs of keys and values.
  { begins: "<tool_call>", ends: "</tool_call>", read: readTagged },
  { begins: "<function=", ends: "</function>", read: readFunction }, // Llama, and Qwen3-Coder without its outer tag
  { begins: "<minimax:tool_call>", ends: "</minimax:tool_call>", read: readInvokes },
  { begins: "<｜tool▁calls▁begin｜>", ends: "<｜tool▁calls▁end｜>", read: readDeepSeek },
  { begins: "<|tool_calls_section_begin|>", ends: "<|tool_calls_section_end|>", read: readKimi },
  { begins: "<|channel|>commentary to=", ends: "<|call|>", read: readHarmony },
  { begins: "<|python_tag|>", ends: null, read: readTagged }, // Llama
  { begins: "[TOOL_CALLS]", ends: null, read: readTagged }, // Mistral
];

/** Reads JSON, or a name and the JSON of its arguments, or another of the forms that models write into this tag. */
function readTagged(body: string, offered: OfferedTools, isWhole: boolean): readonly unknown[] {
  if (body.startsWith("<function="))
    return readFunction(body.slice("<function=".length), offered, body.endsWith("</function>"));
  if (body.includes("<arg_key>")) return isWhole ? readPairs(body, offered) : [];
  return named(body) ?? parsed(body.replace(/<\|eom_id\|>$/, ""));
}

function named(body: string): readonly unknown[] | null {
  const [, name, json = ""] = /^([\w.-]+)\s*(?:>|\[ARGS\])?\s*(\{[\s\S]*\})/.exec(body) ?? [];
  return name === undefined ? null : [{ name, arguments: parsed(json)[0] }];
}

/** Returns the values of a JSON text: the items of a list, or the one value. Empty if the text is not JSON. */
export function parsed(text: string): readonly unknown[] {
  const value = parseJson(text);
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Reads `name>{…}`, or `name><parameter=key>value</parameter>`. */
function readFunction(body: string, offered: OfferedTools, isWhole: boolean): readonly unknown[] {
  if (!isWhole) return [];
  const [, name, rest = ""] = /^([\w.-]+)\s*>([\s\S]*)$/.exec(body) ?? [];
  if (name === undefined || (rest.trim() !== "" && !/^\s*<parameter=/.test(rest))) return named(body) ?? [];
  const inner = rest.replace(/<\/function>\s*$/, "");
  return [withTexts(name, inner, /<parameter=([\w.-]+)>([\s\S]*?)<\/parameter>\s*/y, offered)];
}

function readPairs(body: string, offered: OfferedTools): readonly unknown[] {
  const [, name, rest = ""] = /^([\w.-]+)\s*(<arg_key>[\s\S]*)$/.exec(body) ?? [];
  if (name === undefined) return [];
  const pair = /<arg_key>\s*([\w.-]+)\s*<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>\s*/y;
  return [withTexts(name, rest, pair, offered)];
}

function readInvokes(body: string, offered: OfferedTools): readonly unknown[] {
  const calls = wholeOf(body, /<invoke name="([\w.-]+)">([\s\S]*?)<\/invoke>\s*/y);
  const pair = /<parameter name="([\w.-]+)">([\s\S]*?)<\/parameter>\s*/y;
  return calls?.map(([, name = "", rest = ""]) => withTexts(name, rest, pair, offered)) ?? [];
}

function readDeepSeek(body: string): readonly unknown[] {
  const calls = wholeOf(body, /<｜tool▁call▁begin｜>([\s\S]*?)<｜tool▁call▁end｜>\s*/y);
  return (calls ?? []).map(([, call = ""]) => {
    const [, first = "", rest = ""] = /^([\s\S]*?)<｜tool▁sep｜>([\s\S]*)$/.exec(call) ?? [];
    const [, name = first, json = rest] = /^([\w.-]+)\s*```json\s*([\s\S]*?)\s*```$/.exec(rest.trim()) ?? [];
    return { name: name.trim(), arguments: parseJson(json) };
  });
}

function readKimi(body: string): readonly unknown[] {
  const one =
    /<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>([\s\S]*?)<\|tool_call_end\|>\s*/y;
  return (wholeOf(body, one) ?? []).map(([, name, json = ""]) => ({ name, arguments: parseJson(json) }));
}

function readHarmony(body: string): readonly unknown[] {
  const [, name, json = ""] =
    /^(?:functions\.)?([\w.-]+)\s*(?:<\|constrain\|>\s*json\s*)?(?:json\s*)?<\|message\|>([\s\S]*)$/.exec(
      body,
    ) ?? [];
  return name === undefined ? [] : [{ name, arguments: parseJson(json) }];
}

/** Returns the matches of a sticky pattern if they make up the whole text; null if there is text between or after them. */
function wholeOf(text: string, pattern: RegExp): readonly RegExpExecArray[] | null {
  const found: RegExpExecArray[] = [];
  pattern.lastIndex = text.length - text.trimStart().length;
  for (let end = pattern.lastIndex; end < text.length; end = pattern.lastIndex) {
    const match = pattern.exec(text);
    if (match === null) return null;
    found.push(match);
  }
  return found;
}

/**
 * Returns a call whose arguments are written as texts. If the schema does not allow a text, its JSON value is used. Null for a
 * text with other parts, and if two values have the same name.
 */
function withTexts(name: string, text: string, pattern: RegExp, offered: OfferedTools): WrittenCall | null {
  const found = wholeOf(text, pattern);
  if (found === null) return null;
  const pairs = found.map(
    ([, key = "", value = ""]) => [key, valueOf(value, offered.get(name), key)] as const,
  );
  const given = new Map(pairs);
  return given.size < pairs.length ? null : { name, arguments: Object.fromEntries(given) };
}

function valueOf(text: string, schema: JsonSchema | undefined, key: string): unknown {
  const properties = isRecord(schema?.["properties"]) ? schema["properties"] : {};
  const { type } = isRecord(properties[key]) ? properties[key] : {};
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? (type as unknown[]) : ["string"];
  const bare = text.replace(/^\n/, "").replace(/\n$/, "");
  const value = types.includes("string") ? bare : parseJson(bare);
  return value === undefined ? bare : value;
}

/** Returns the calls of a text that consists only of calls, as JSON or in Python's syntax, with or without a fence. */
export function readWhole(text: string): readonly unknown[] {
  const [first = ""] = text.split("\n", 1);
  const [, word] = /^```(\w*)\s*$/.exec(first) ?? [];
  const isFenced =
    word !== undefined && ["", "json", "tool_code", "python"].includes(word) && text.endsWith("```");
  const bare = isFenced ? text.slice(first.length, -3).trim() : text;
  if (isFenced || bare.startsWith("[")) {
    const calls = readPythonCalls(bare);
    if (calls !== null) return calls;
  }
  return parsed(bare);
}
