// Types of the API's responses. They are derived from the API's schemas, so that the page expects only what the API promises.
import type { z } from "zod";
import type {
  changeSchema,
  differenceSchema,
  undoReportSchema,
} from "../../http/src/api/sessions/changes.js";
import type * as layers from "../../http/src/api/sessions/layers.js";
import type { programSchema } from "../../http/src/api/history.js";
import type * as plan from "../../http/src/api/plan-schemas.js";
import type { approvalSchema, previewSchema, rememberedSchema } from "../../http/src/api/approval-schemas.js";
import type * as api from "../../http/src/api/schemas.js";
import type { serversSchema } from "../../http/src/api/servers.js";
import type { sessionSchema, sessionSummarySchema } from "../../http/src/api/sessions/sessions.js";
import type { recentSchema, storySchema } from "../../http/src/api/sessions/stories.js";
import type { meSchema } from "../../http/src/api/tools.js";

export type Approval = z.output<typeof approvalSchema>;
/** The changes that the call of a question would make. */
export type QuestionPreview = z.output<typeof previewSchema>;
export type Remembered = z.output<typeof rememberedSchema>;
export type CallSummary = z.output<typeof api.callSummarySchema>;
export type CallRecord = z.output<typeof api.callRecordSchema>;
export type AuditRecord = z.output<typeof api.auditRecordSchema>;
export type Program = z.output<typeof programSchema>;
/** A line of a program, with the calls that it made. */
export type ProgramLine = Program["lines"][number];

export type Me = z.output<typeof meSchema>;
export type Servers = z.output<typeof serversSchema>;
/** A mounted server. */
export type Mounted = Servers["mounted"][number];
/** A mounted server to which people sign in. */
export type Server = Servers["servers"][number];

export type SessionSummary = z.output<typeof sessionSummarySchema>;
export type SessionDetails = z.output<typeof sessionSchema>;
export type RecentSession = z.output<typeof recentSchema>;
export type Story = z.output<typeof storySchema>;
export type StoryStep = Story["steps"][number];
/** A call of a story. */
export type StoryCall = Extract<StoryStep, { kind: "call" }>["call"];
export type Change = z.output<typeof changeSchema>;
/** The changes that the calls of a session made. */
export interface ChangesAnswer {
  readonly changes: readonly Change[];
  readonly difference: z.output<typeof differenceSchema>;
}
export type WaitingLayer = z.output<typeof layers.layerSchema>;
export type LayerChange = WaitingLayer["changes"][number];
/** A session whose file changes wait for an answer. */
export type LayerSession = z.output<typeof layers.layerSessionSchema>;
/** How an answer about waiting file changes ended, and the changes that still wait. */
export interface LayerAnswer {
  readonly outcome: {
    readonly result: {
      readonly error?: string;
      readonly code?: string;
      readonly data?: unknown;
    };
  };
  readonly layer: WaitingLayer | null;
}
export type UndoReport = z.output<typeof undoReportSchema>;

export type Status = z.output<typeof plan.statusSchema>;
/** A module of the plan. */
export type Entry = Status["entries"][number];
/** A tool that differs from the lock file. */
export type LockChange = Status["lockChanges"][number];
export type Problem = Status["reloadProblems"][number];
export type Reload = z.output<typeof plan.reloadSchema>;
export type Comparison = z.output<typeof plan.comparisonSchema>;
export type Suggestion = z.output<typeof plan.suggestionSchema>;
export type Explanation = z.output<typeof plan.explanationSchema>;
/** A place in a file of the plan. */
export type Position = NonNullable<Entry["position"]>;

/** A tool. Its schema can be any JSON Schema. */
export type Tool = z.output<typeof api.toolSchema> & { readonly inputSchema: Schema };

/** The keywords of a JSON Schema that the page shows. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** One item of a conversation, in the form of the model's API. */
export type Item = SessionDetails["items"][number];
