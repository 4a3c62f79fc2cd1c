import { randomUUID } from "node:crypto";
import { createProgramGuard, type ProgramGuard } from "@toolmount/sandbox";

/** The guard of the engines of one mount. */
export interface EngineGuard extends ProgramGuard {
  /** The whole environment of an engine. The guard finds by it an engine that had not been added yet. */
  readonly env: Readonly<Record<string, string>>;
}

/** Creates the guard. It starts no process by itself. */
export function createEngineGuard(): EngineGuard {
  const [name, mark] = ["TOOLMOUNT_SEARCH", randomUUID()];
  return { env: { [name]: mark }, ...createProgramGuard({ mark: `${name}=${mark}` }) };
}
