import {
  CLIENT_CAPABILITIES_META_KEY,
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type Client,
  type ClientCapabilities,
  type InputRequiredResult,
  type RequestOptions,
  type Tool,
} from "@modelcontextprotocol/client";
import { withShownTexts } from "../wire/foreign-texts.ts";
import type { Front, ServerAsk } from "../wire/front.ts";
import type { ServerSettings } from "./config.ts";
import { uiCapabilities } from "./ui.ts";
import { raceSignal } from "../wire/race-signal.ts";

/** What a plan lets a server ask the client in front of the host. */
type Asks = ServerSettings["ask"];

type AskSettings = Pick<ServerSettings, "ask" | "expose" | "prefix" | "hiddenText">;

/** Rounds of questions that one call may take. */
const maxRounds = 16;

/** The capabilities that are stated to a server: what the plan allows, and of that what the client in front can do. */
export function capabilitiesFor(ask: Asks, front?: ClientCapabilities): ClientCapabilities {
  const can = (what: "elicitation" | "sampling" | "roots") =>
    ask.includes(what) && (front === undefined || front[what] !== undefined);
  return {
    ...(can("elicitation") && { elicitation: front?.elicitation ?? { form: {}, url: {} } }),
    ...(can("sampling") && { sampling: front?.sampling ?? {} }),
    ...(can("roots") && { roots: {} }),
  };
}

/** Answers requests that a server from before 2026 makes while a call runs. */
export function answerAsks(client: Client, settings: AskSettings, frontOf: () => Front | undefined): void {
  const { ask } = settings;
  const pass = async (request: ServerAsk) => {
    const front = frontOf();
    if (front === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        "calls of several clients, or of none, run on this connection, so it is not known whom to ask",
      );
    const { asked } = await front.ask({ asked: withShownTexts(request, settings) });
    return asked as never;
  };
  if (ask.includes("elicitation")) client.setRequestHandler("elicitation/create", pass);
  if (ask.includes("sampling")) client.setRequestHandler("sampling/createMessage", pass);
  if (ask.includes("roots")) client.setRequestHandler("roots/list", pass);
  client.setNotificationHandler("notifications/message", ({ params: { level, data, logger } }) =>
    frontOf()?.log(level, withShownTexts(data, settings), logger),
  );
}

/** Who calls which tool. */
interface CallAsks {
  readonly settings: AskSettings;
  readonly front: Front | undefined;
  readonly definition: Tool;
}

/** Calls a tool; a server of 2026 that wants input gets it from the client in front, round after round. */
export async function callWithAsks(
  client: Client,
  params: CallToolRequest["params"],
  options: RequestOptions,
  { settings, front, definition }: CallAsks,
): Promise<CallToolResult> {
  // The host checks results. The SDK needs the rest of the definition, for arguments that are headers, too.
  const { outputSchema: _, ...toolDefinition } = definition;
  const how = { ...options, toolDefinition };
  if (client.getProtocolEra() === "legacy" || (settings.ask.length === 0 && front?.logLevel === undefined))
    return client.callTool(params, how);
  const { _meta: given, ...rest } = params;
  const stated = { ...rest, _meta: { ...given, ...metaFor(settings, front) } };
  let next: Readonly<Record<string, unknown>> =
    front?.given === undefined ? {} : { inputResponses: front.given };
  for (let round = 0; round < maxRounds; round++) {
    const result: CallToolResult | InputRequiredResult = await client.callTool(
      { ...stated, ...next },
      { ...how, allowInputRequired: true },
    );
    if (!isInputRequiredResult(result)) return result;
    const { inputRequests = {}, requestState } = result;
    const answers = front?.ask(withShownTexts(inputRequests, settings)) ?? Promise.resolve({});
    const { signal } = options;
    const inputResponses = await (signal === undefined ? answers : raceSignal(answers, signal));
    next = { inputResponses, ...(requestState !== undefined && { requestState }) };
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `the server asked more than ${maxRounds} times`);
}

/** Returns what a request states of the client in front, for a server of 2026. */
export function metaFor(settings: AskSettings, front: Pick<Front, "capabilities" | "logLevel"> | undefined) {
  const asked = capabilitiesFor(settings.ask, front?.capabilities ?? {});
  return {
    [CLIENT_CAPABILITIES_META_KEY]: { ...asked, ...uiCapabilities(settings) },
    ...(front?.logLevel !== undefined && { [LOG_LEVEL_META_KEY]: front.logLevel }),
  };
}
