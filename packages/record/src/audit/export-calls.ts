import type { AuditSink } from "@toolmount/core";
import { isWanted, readAuditedCalls, readPages } from "./audited-calls.ts";
import type { AuditedCall, CallFilter } from "./audited-calls.ts";

/** Formats of an export. */
export const exportFormats = ["jsonl", "csv", "ocsf"] as const;

/** One of the formats of an export. */
export type ExportFormat = (typeof exportFormats)[number];

/** Yields the lines of an export, oldest first. `jsonl` has the records as they are stored, with the hashes of their chains. */
export async function* exportLines(
  sink: AuditSink,
  format: ExportFormat,
  filter: CallFilter,
): AsyncIterable<string> {
  if (format === "jsonl") {
    for await (const record of readPages(sink, filter))
      if (isWanted(record.entry, filter)) yield JSON.stringify(record);
    return;
  }
  if (format === "csv") yield csvHeader;
  const print = format === "csv" ? toCsvLine : toOcsfLine;
  for await (const call of readAuditedCalls(sink, filter)) yield print(call);
}

const columns = {
  time: ({ at }: AuditedCall) => new Date(at).toISOString(),
  run: ({ run }: AuditedCall) => run,
  kind: ({ kind }: AuditedCall) => kind,
  tool: ({ tool }: AuditedCall) => tool,
  arguments: ({ arguments: given }: AuditedCall) =>
    typeof given === "string" ? given : given === null ? "" : JSON.stringify(given),
  user: ({ user }: AuditedCall) => user,
  session: ({ session }: AuditedCall) => session,
  answer: ({ answer }: AuditedCall) => answer,
  rules: ({ rules }: AuditedCall) => rules.join(" "),
  approved_by: ({ approvedBy }: AuditedCall) => approvedBy,
  denied_by: ({ deniedBy }: AuditedCall) => deniedBy,
  allowed_by: ({ allowedBy }: AuditedCall) => allowedBy,
  status: ({ status }: AuditedCall) => status,
  code: ({ code }: AuditedCall) => code,
  error: ({ error }: AuditedCall) => error,
  result: ({ result }: AuditedCall) =>
    typeof result === "object" && result !== null ? JSON.stringify(result) : result,
  duration_ms: ({ durationMs }: AuditedCall) => durationMs,
  run_by: ({ runBy }: AuditedCall) => runBy,
} as const;

/** The first line of CSV. Source of the format: RFC 4180. */
const csvHeader = Object.keys(columns).join(",");

/** Writes a call as a line of CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function toCsvLine(call: AuditedCall): string {
  const cells = Object.values(columns).map((read) => {
    const text = String(read(call) ?? "");
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return cells.join(",");
}

/** The version of OCSF, and its class API Activity. Source: schema.ocsf.io, class 6003. */
const ocsf = { version: "1.6.0", category: 6, class: 6003, activityOther: 99 } as const;

/** Names of the kinds of calls. The name alone must show a reader that a rehearsal had no effect. */
const activities: Readonly<Record<AuditedCall["kind"], string>> = {
  call: "Tool call",
  rehearsal: "Rehearsal of a tool call",
  undo: "Undo of a tool call",
};

/** Writes a call as an event of OCSF, on one line. Members for which OCSF has no place are in `unmapped`. */
export function toOcsfLine(call: AuditedCall): string {
  const { at, run, tool, user, session, answer, rules, status, code, error, result, durationMs } = call;
  return JSON.stringify({
    metadata: { version: ocsf.version, product: { name: "toolmount", vendor_name: "toolmount" }, uid: run },
    time: at,
    category_uid: ocsf.category,
    class_uid: ocsf.class,
    activity_id: ocsf.activityOther,
    activity_name: activities[call.kind],
    type_uid: ocsf.class * 100 + ocsf.activityOther,
    severity_id: 1,
    status_id: status === "ok" ? 1 : ["running", "waiting"].includes(status) ? 0 : 2,
    ...(code !== null && { status_code: code }),
    ...(error !== null && { status_detail: error }),
    ...(durationMs !== null && { duration: Math.round(durationMs) }),
    actor: { user: { name: user ?? "unknown" }, ...(session !== null && { session: { uid: session } }) },
    api: { operation: tool, service: { name: "toolmount" }, request: { uid: run } },
    src_endpoint: { name: "toolmount" },
    unmapped: {
      kind: call.kind,
      arguments: call.arguments,
      result,
      answer,
      rules,
      approved_by: call.approvedBy,
      denied_by: call.deniedBy,
      allowed_by: call.allowedBy,
      run_by: call.runBy,
      status,
    },
  });
}
