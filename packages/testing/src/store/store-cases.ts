import { approvalCases } from "./approval-cases.ts";
import { auditCases } from "./audit-cases.ts";
import { callCases } from "./call-cases.ts";
import { sessionCases } from "./session-cases.ts";
import { workCases } from "./work-cases.ts";
import type { StoreCase } from "./store-case.ts";

/**
 * What every state store must do with approvals, sessions, the audit and the work of servers, over two handles on one empty
 * store. The cases use `node:assert`, so that any test runner can run them; `describeStore` of `@toolmount/testing/vitest`
 * does so with Vitest.
 */
export const storeCases: readonly StoreCase[] = [
  ...approvalCases,
  ...sessionCases,
  ...auditCases,
  ...callCases,
  ...workCases,
];
