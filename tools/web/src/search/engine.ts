import type { EngineSettings, ParsedSettings } from "../config.ts";
import type { HopRequest } from "../fetch/hop.ts";

/** One page that an engine found. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** A request to an engine, and the reader of its response. */
interface EngineRequest {
  readonly url: string;
  readonly request: HopRequest;
  /** Returns the results in a response; null if the response is not one of this engine. */
  readonly read: (answer: unknown) => readonly SearchResult[] | null;
}

export type Engine = (query: string, limit: number) => EngineRequest;

/** Makes the function that builds the requests of one engine. */
export type EngineMaker<Type extends EngineSettings["type"]> = (
  settings: Extract<EngineSettings, { type: Type }>,
  common: Pick<ParsedSettings, "user_agent">,
) => Engine;
