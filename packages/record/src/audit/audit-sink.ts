import { ToolmountError, type AuditSink, type Host } from "@toolmount/core";

/** Returns a host's current audit, which a reload may replace. Throws `EXTENSION_MISSING` for a plan without an audit. */
export function auditSinkOf({ coordinator }: Host): AuditSink {
  const sink = coordinator.get("audit-sink") as AuditSink | null;
  if (sink !== null) return sink;
  throw new ToolmountError("EXTENSION_MISSING", {
    what: 'the plan says "audit: off"; to read the audit',
    module: "an audit",
    install: 'the line "audit: durable" in the plan',
  });
}
