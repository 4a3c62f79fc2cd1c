import {
  data,
  defineTool,
  failure,
  ownSession,
  type Host,
  type PartialResult,
  type PreviewedEffect,
  type ToolContext,
} from "@toolmount/core";
import type { Layer, LayerChange, Section } from "@toolmount/sandbox";
import { z } from "zod";
import { differenceOf, layersOf } from "./host-layers.ts";
import { mainSession } from "./session-layer.ts";

const sections = z
  .array(z.enum(["files", "repository", "deletions", "obeyed"]))
  .min(1)
  .refine((given) => given.length === 1 || given.every((each) => !isGrave(each)), {
    message: "ask for deletions and for obeyed files by themselves, each in a call of its own",
  });

const schema = z
  .strictObject({
    digest: z.string().optional().describe("From the last answer of this tool; without it nothing is asked"),
    sections: sections.optional().describe("What to keep: files with repository, or deletions, or obeyed"),
  })
  .refine(({ digest, sections: given }) => (digest === undefined) === (given === undefined), {
    message: "give both digest and sections, or neither",
  });

const usage = `Your changes of files are not in the user's folder yet: they wait in a layer.
Call ask_to_keep without arguments when your work is done. It lists what waits, by section, with a digest.
Then call it with the digest and the sections ["files", "repository"]; the user sees the difference and answers.
Deletions, and files that the user's next command runs or obeys, each need a call of their own.
A code DIFFERENCE_CHANGED means that something changed since: look again.`;

/**
 * Offers the agents of a host a tool with which they ask the user to keep changes, for hosts where no terminal asks at the end
 * of a turn. The question is answered like that of any call, with the difference as its preview, and no rule of the plan
 * answers it. Without a layer, nothing is offered.
 */
export function offerToKeep(host: Host): void {
  if (layersOf(host) === null) return;
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "ask_to_keep",
      description:
        "Asks the user to keep what this session changed in files; without arguments it lists what waits. Use when work is done.",
      summary: "Asks the user to keep changed files.",
      question: "Keep what was changed in {sections}",
      usage,
      category: "write",
      consequenceLevel: "medium",
      requiresConfirmation: ({ digest }) => digest !== undefined,
      timeout: 0,
      control: ["digest", "sections"],
      schema,
      preview: (given, context) => previewOf(host, given, context),
      async execute({ digest, sections: wanted }, context) {
        if (digest === undefined || wanted === undefined) return listed(host, context);
        const by = await answererOf(host, context);
        if (by === undefined) return unanswered;
        const { result } = await layersOf(host)!.keep(
          sessionOf(context),
          { digest, sections: wanted },
          {
            by,
            userId: context.userId,
            turnId: context.turnId,
          },
        );
        const { tool: _, fetchedAt: __, ...own } = result;
        return own as PartialResult;
      },
    }),
  );
}

function isGrave(section: Section): boolean {
  return section === "deletions" || section === "obeyed";
}

function sessionOf({ userId, sessionId = mainSession }: ToolContext): string {
  return ownSession(userId, sessionId);
}

const unanswered = failure("Nothing was kept: a person has to answer, and a rule of the plan did", {
  code: "ANSWER_MISSING",
});

/** Returns the person who approved this call; undefined if a rule or an earlier answer did. */
async function answererOf({ approvals }: Host, context: ToolContext): Promise<string | undefined> {
  const { callId, runId } = context;
  const found = await approvals.list({ callId, states: ["approved", "claimed", "started"] });
  const decision = found.find(({ info }) => info.runId === runId)?.decision;
  return decision?.decision === "approve" ? decision.by : undefined;
}

/** Maximum number of changes that a model reads, and of changes of files that are named to a person. */
const mostListed = 200;

async function listed(host: Host, context: ToolContext): Promise<PartialResult> {
  const waiting = await layersOf(host)!.waiting(sessionOf(context));
  if (waiting === null) return data({ changes: [], total: 0 });
  const { digest, changes, left, running } = waiting;
  const omitted = left.slice(0, mostListed).map(({ path, reason }) => ({
    what: `changes of ${path}`,
    amount: "all",
    why: reason,
    how: "a person does it outside of the session",
  }));
  if (changes.length === 0) return data({ changes: [], total: 0 }, { omitted });
  return data(
    {
      digest,
      total: changes.length,
      changes: changes.slice(0, mostListed).map(({ path, section, change }) => ({ path, section, change })),
      endsThese: [...running],
    },
    { omitted },
  );
}

interface Asked {
  readonly digest?: string | undefined;
  readonly sections?: readonly Section[] | undefined;
}

/**
 * Returns what would be kept, with the difference of each file. Files that commands run, or read as settings, are shown with
 * all lines.
 */
async function previewOf(host: Host, { digest, sections: wanted = [] }: Asked, context: ToolContext) {
  const nothing = (result: PartialResult) => ({ effects: [], result });
  if (digest === undefined) return nothing(await listed(host, context));
  const layers = host.coordinator.getCapability("host.layers")!;
  return layers.look(sessionOf(context), async (layer) => {
    const difference = await layer.difference();
    if (difference.digest !== digest)
      return nothing(failure("the changes are other ones now", { code: "DIFFERENCE_CHANGED" }));
    const own = difference.changes.filter(({ section }) => wanted.includes(section));
    return { effects: effectsOf(layer, own), result: data({ kept: own.length }) };
  });
}

/** Maximum number of files whose differences are shown, and of lines of each. All of `deletions` and `obeyed` is shown. */
const mostShown = 40;

/**
 * Returns the effects to show. A person cannot judge tens of thousands of files, so there is a limit; but everything in the
 * sections `deletions` and `obeyed` is named.
 */
function effectsOf(layer: Layer, changes: readonly LayerChange[]): PreviewedEffect[] {
  const named = changes.filter(({ section }, at) => isGrave(section) || at < mostListed);
  const effects = named.map((change, at) =>
    effectOf(layer, change, isGrave(change.section) || at < mostShown),
  );
  const others = changes.length - named.length;
  if (others === 0) return effects;
  return [...effects, { target: `${others.toLocaleString("en")} more changes of files`, change: "other" }];
}

function effectOf(layer: Layer, change: LayerChange, isShown: boolean): PreviewedEffect {
  const { path, kind, section, former, next } = change;
  const lines = isGrave(section) ? Number.POSITIVE_INFINITY : mostShown;
  const text = isShown && section !== "repository" ? differenceOf(layer.texts(change), lines) : undefined;
  const mode =
    kind === "mode" ? `mode ${former!.mode.toString(8)} becomes ${next!.mode.toString(8)}` : undefined;
  const difference = mode ?? (text || undefined);
  const verb =
    kind === "delete" ? "delete" : kind === "mode" ? "other" : former === null ? "create" : "change";
  return { target: path, change: verb, ...(difference !== undefined && { difference }) };
}
