import { randomUUID } from "node:crypto";
import { createProgramGuard, type ProgramGuard } from "@toolmount/sandbox";

/** Ends the engines of one mount if this process dies. */
export interface EngineGuard extends ProgramGuard {
  /**
   * The whole environment of an engine: one variable with a random value, by which the guard also finds an engine that was not
   * added yet.
   */
  readonly env: Readonly<Record<string, string>>;
}

/** Creates the guard. Its process is started only with the first run. */
export function createEngineGuard(): EngineGuard {
  const [name, mark] = ["TOOLMOUNT_SEARCH", randomUUID()];
  return { env: { [name]: mark }, ...createProgramGuard({ mark: `${name}=${mark}` }) };
}
