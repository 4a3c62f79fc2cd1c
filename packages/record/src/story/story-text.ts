import { omissionLine, type PreviewedEffect, type SessionChange } from "@toolmount/core";
import { lineOf } from "@toolmount/core/record";
import { escapeHidden, escapeHiddenInLines } from "@toolmount/core/text";
import type { StoryCall } from "./story-call.ts";
import type { Story, StoryStep } from "./story.ts";

/**
 * Returns a story as Markdown, for a terminal or a ticket: one line for each call with its time, the question and how it ended.
 * No text forms a heading, a link or a picture: what was said is in a fence. Hidden characters are escaped.
 */
export function storyText(story: Story): string {
  const { session, user, from, stands, steps, changes, difference } = story;
  const who = user === null ? "" : `, user ${code(user)}`;
  const when = from === null ? "" : `, from ${new Date(from).toISOString().slice(0, 10)} (times are UTC)`;
  return [
    `# Session ${code(session)}`,
    "",
    `${stands}${who}${when}`,
    costLine(story),
    ...warningsOf(story),
    "",
    ...steps.flatMap(stepLines),
    ...(changes.length === 0 ? [] : ["", "## Changes", "", ...changes.map(changeLine)]),
    ...difference.effects.flatMap(effectLines),
    "",
  ].join("\n");
}

/** Says how long the calls of the session ran, and the tokens and cost of its model. */
function costLine({ workedMs, spent }: Story): string {
  const ran = `Its calls ran ${(workedMs / 1000).toFixed(1)} s`;
  if (spent === null) return `${ran}; what its client's model cost is not known here.`;
  const { usage, cost } = spent;
  const price = cost === null ? "" : `, ${Number(cost.amount.toPrecision(3))} ${code(cost.currency)}`;
  return `${ran}; its model used ${usage.inputTokens + usage.outputTokens} tokens${price}.`;
}

function warningsOf({ isPartial, omitsReads }: Story): readonly string[] {
  return [
    ...(isPartial ? ["", "Earlier calls are not here."] : []),
    ...(omitsReads ? ["", "The audit leaves out the calls of tools that only read."] : []),
  ];
}

function stepLines(step: StoryStep): readonly string[] {
  if (step.kind === "call") return callLines(step.call, "  ".repeat(step.depth));
  return ["", `**${step.by}**`, "", ...fenced(step.text.trimEnd(), "text"), ""];
}

function callLines(call: StoryCall, indent: string): readonly string[] {
  const { startedAt, tool, line, place, question, allowedBy, omitted, says, durationMs } = call;
  const lasted = durationMs === null ? "" : ` (${Math.round(durationMs)} ms)`;
  const from = place === null ? "" : `, line ${place.line}`;
  const below = `${indent}  - `;
  return [
    `${indent}- ${clock(startedAt)} ${code(tool)}${line === "" ? "" : ` ${code(line)}`}${from}: ${visible(says)}${lasted}`,
    ...(question === null ? [] : [`${below}${visible(askedLine(question))}`]),
    ...(allowedBy === null ? [] : [`${below}allowed by ${code(allowedBy)}`]),
    ...omitted.map((omission) => `${below}${visible(omissionLine(omission))}`),
  ];
}

function askedLine({ rules, by, askedAt, answeredAt, reason }: NonNullable<StoryCall["question"]>): string {
  const asked = `asked by ${rules.join(", ") || "the tool"}${askedAt === null ? "" : ` at ${clock(askedAt)}`}`;
  if (by === null) return asked;
  const when = answeredAt === null ? "" : ` at ${clock(answeredAt)}`;
  return `${asked}; answered by ${by}${when}${reason === null ? "" : `: ${reason}`}`;
}

function changeLine({ tool, arguments: given, isUndone, irreversible, undoBegan }: SessionChange): string {
  const can = undoBegan === true ? "an undo began" : isUndone ? "undone" : "can be undone";
  return `- ${code(tool)} ${code(lineOf(given))}: ${irreversible === undefined ? can : `cannot be undone: ${visible(irreversible)}`}`;
}

/** Says what happened to one target over the whole session. */
function effectLines({ target, change, difference }: PreviewedEffect): readonly string[] {
  const title = `${change} ${code(target)}`;
  if (difference === undefined) return ["", title];
  return ["", title, "", ...fenced(difference, "diff")];
}

/** Returns the lines of a text in a fence that they cannot close. */
function fenced(text: string, language: string): readonly string[] {
  const fence = "`".repeat(Math.max(3, longestTicks(text) + 1));
  return [`${fence}${language}`, ...escapeHiddenInLines(text).split("\n"), fence];
}

const clock = (at: number) => new Date(at).toISOString().slice(11, 19);

/** Returns a text for one line, in which nothing is hidden and nothing acts as Markdown or HTML. */
function visible(text: string): string {
  return escapeHidden(text.replaceAll(/\s+/g, " ")).replaceAll(/[\\`*_[\]<>#|]/g, "\\$&");
}

/** Returns the length of the longest run of backticks in a text. */
function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** Returns a text as inline code, in a fence that it cannot close. */
function code(text: string): string {
  const shown = escapeHidden(text.replaceAll(/\s+/g, " "));
  const longest = longestTicks(shown);
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}
