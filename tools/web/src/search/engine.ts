import type { EngineSettings, ParsedSettings } from "../config.ts";
import type { HopRequest } from "../fetch/hop.ts";

/** One hit of a search. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** A question to an engine, and how its answer is read. */
interface EngineRequest {
  readonly url: string;
  readonly request: HopRequest;
  /** Hits in an answer; null when it is not an answer of that engine. */
  readonly read: (answer: unknown) => readonly SearchResult[] | null;
}

export type Engine = (query: string, limit: number) => EngineRequest;

/** How each engine is asked. */
export type EngineMaker<Type extends EngineSettings["type"]> = (
  settings: Extract<EngineSettings, { type: Type }>,
  common: Pick<ParsedSettings, "user_agent">,
) => Engine;
