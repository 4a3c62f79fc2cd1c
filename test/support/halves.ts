import { createHash } from "node:crypto";

/** Half of the shared tasks, drawn by a digest: policies are written with one half and checked with the other. */
export function halfOf(suite: string, kind: "user" | "injection", id: string): "writing" | "checking" {
  const digest = createHash("sha256").update(`toolmount-flows-half:${suite}:${kind}:${id}`).digest("hex");
  return Number.parseInt(digest[0]!, 16) < 8 ? "writing" : "checking";
}
