import { storyText, type RecentSession, type Story, type StoryCall } from "@toolmount/record";
import type { SessionDetails, SessionSummary } from "@toolmount/reasoner";
import { createMarkdownWriter } from "../screen/markdown.ts";
import { printable, printableLines } from "../screen/printable.ts";
import { agoOf } from "../screen/relative-time.ts";
import type { Screen } from "../screen/screen.ts";
import { shortIds } from "../screen/short-ids.ts";
import { writeTable, type Column } from "../screen/table.ts";
import { effectLines } from "./rehearsal.ts";
import { writeDetails, writeList } from "./session.ts";

/**
 * A session: its conversation, null if no model of the plan had one; and the story of its calls, null if the plan has no audit.
 */
export interface SessionStory {
  readonly conversation: SessionDetails | null;
  readonly story: Story | null;
}

/** The sessions of the plan's models, and the sessions of other clients that made calls. */
export interface AllSessions {
  readonly sessions: readonly SessionSummary[];
  readonly ofClients: readonly RecentSession[];
}

/** Writes two tables of sessions: those of models, and those of other clients. */
export function writeSessions(screen: Screen, { sessions, ofClients }: AllSessions, now: number): void {
  if (sessions.length > 0 || ofClients.length === 0) writeList(screen, sessions, now);
  if (sessions.length > 0 && ofClients.length > 0) screen.line("");
  if (ofClients.length > 0) writeClients(screen, ofClients, now);
}

function writeClients(screen: Screen, sessions: readonly RecentSession[], now: number): void {
  const short = shortIds(sessions.map(({ session }) => session));
  const columns: Column<RecentSession>[] = [
    { title: "session", cell: ({ session }) => screen.paint("bold", printable(short(session))) },
    { title: "changed", cell: ({ to }) => agoOf(to, now) },
    { title: "calls", cell: ({ calls }) => String(calls) },
    { title: "user", cell: ({ user }) => printable(user ?? "–") },
    { title: "stands", cell: ({ stands }) => stands },
  ];
  writeTable(screen, columns, sessions);
}

/** Writes a conversation with how its calls ended. For a session without a conversation, writes only its calls. */
export function writeSessionStory(screen: Screen, { conversation, story }: SessionStory, now: number): void {
  if (conversation === null) return writeStory(screen, story!);
  writeDetails(screen, conversation, now, story === null ? new Map() : endsOf(story));
  for (const effect of story?.difference.effects ?? [])
    for (const line of effectLines(screen, effect)) screen.line(line);
}

/** Returns by call id how calls ended. Calls that simply ran are left out. */
function endsOf({ steps }: Story): ReadonlyMap<string, string> {
  const calls = steps.flatMap((step): readonly StoryCall[] => (step.kind === "call" ? [step.call] : []));
  return new Map(calls.filter(({ says }) => says !== "ran").map(({ callId, says }) => [callId, says]));
}

/** Writes a story: formatted at a terminal, elsewhere as Markdown. */
function writeStory(screen: Screen, story: Story): void {
  const text = printableLines(storyText(story));
  if (screen.columns === undefined) return screen.line(text.trimEnd());
  const markdown = createMarkdownWriter(screen);
  markdown.write(text);
  markdown.end();
}

/** Writes the story as Markdown, for a ticket. */
export function writeTicket(screen: Screen, { story }: SessionStory): void {
  screen.line(
    story === null ? "The plan has no audit: its calls are not known." : storyText(story).trimEnd(),
  );
}
