import { ToolmountError, type AuditSink, type Host } from "@toolmount/core";

/** Returns the audit of a host now: a reload may bring another one. Throws `EXTENSION_MISSING` for a plan without an audit. */
export function auditSinkOf({ coordinator }: Host): AuditSink {
  const sink = coordinator.get("audit-sink") as AuditSink | null;
  if (sink !== null) return sink;
  throw new ToolmountError("EXTENSION_MISSING", {
    what: 'the plan says "audit: off"; to read the audit',
    module: "an audit",
    install: 'the line "audit: durable" in the plan',
  });
}
