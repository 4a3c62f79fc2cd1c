import { z } from "zod";

/**
 * Who wrote a part of a prompt. `typed`: the user, by hand; only this counts as the user's words for the rules about flows.
 * `piped`: a program, through standard input. `pasted`: a block from the clipboard. `attached`: a file. `client`: another
 * program. `tool`: the host, about calls.
 */
const author = z.enum(["typed", "piped", "pasted", "attached", "client", "tool"]);

export const authoredText = z.object({ author, text: z.string() });

/** A part of a prompt with its author. */
export interface AuthoredText {
  readonly author: z.output<typeof author>;
  readonly text: string;
}

/** A prompt: a text that the user typed, or parts with their authors. The model gets the parts in order as one text. */
export type Prompt = string | readonly AuthoredText[];

/** A prompt as the session stores it. Without `parts`, the user typed all of it. */
export interface KeptPrompt {
  readonly text: string;
  readonly parts?: readonly AuthoredText[] | undefined;
}

export function keptPrompt(prompt: Prompt): KeptPrompt {
  if (typeof prompt === "string") return { text: prompt };
  return { text: prompt.map(({ text }) => text).join(""), parts: prompt };
}

/** Returns those parts of a prompt that the user typed. */
export function typedWords({ text, parts }: KeptPrompt): readonly string[] {
  if (parts === undefined) return [text];
  return parts.flatMap((part) => (part.author === "typed" && part.text.trim() !== "" ? part.text : []));
}
