import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteResult,
  type GetPromptResult,
  type InputRequiredResult,
  type ReadResourceResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Host, ToolOutcome } from "@toolmount/core";
import type { InternalCall } from "../wire/front.ts";
import { isAvailable } from "@toolmount/core/internal";
import type { ExposedItems, ExposedSource, PublishedSource } from "../wire/exposed-source.ts";
import { withoutUndefined } from "@toolmount/core/json";
import { outcomeMetaKey } from "../wire/result.ts";
import { serverError } from "./render.ts";
import type { ServedCall } from "./served-session.ts";

/** How requests for resources, prompts and completions reach mounted servers and skills. */
export interface ExposedRequests<Source> {
  /** Returns the servers and skills behind one request of the client. */
  readonly sourcesFor: (call: InternalCall) => readonly Source[];
  readonly callFor: (ctx: ServerContext) => InternalCall;
  /** Runs `work` for a request in such a way that mounted servers can ask its client. */
  readonly asking: <Result extends object>(
    ctx: ServerContext,
    request: ServedCall,
    work: (call: InternalCall) => Promise<Result>,
  ) => Promise<Result | InputRequiredResult>;
}

/** Returns what a mounted server exposes to one client; each request becomes a call of an internal tool of the host. */
export function throughHost(host: Host, published: PublishedSource, call: InternalCall): ExposedSource {
  const { name, exposes, toolFor, items, servedUri, ownUri, unsubscribe } = published;
  const seen = <Kind extends keyof ExposedItems>(kind: Kind) =>
    items(kind).filter(({ tool }) => isAvailable(host, tool));
  const run = async <Data>(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<Data> =>
    dataOf(await call(tool, args)) as Data;
  return {
    name,
    exposes,
    async listResources() {
      await run(toolFor("resources.list"));
      return seen("resource").map(({ item }) => ({ ...item, uri: servedUri(item.uri) }));
    },
    async listResourceTemplates() {
      await run(toolFor("resources.list"));
      return seen("template").map(({ item }) => ({ ...item, uriTemplate: servedUri(item.uriTemplate) }));
    },
    async readResource(served) {
      const uri = ownUri(served);
      const own = items("resource").find(({ item }) => item.uri === uri);
      const result = await run<ReadResourceResult>(own?.tool ?? toolFor("resources.read"), { uri });
      return { ...result, contents: result.contents.map((one) => ({ ...one, uri: servedUri(one.uri) })) };
    },
    subscribe: (uri) => run(toolFor("resources.subscribe"), { uri: ownUri(uri) }),
    unsubscribe: (uri) => unsubscribe(ownUri(uri)),
    async listPrompts() {
      await run(toolFor("prompts.list"));
      return seen("prompt").map(({ item }) => item);
    },
    getPrompt({ name: prompt, arguments: args }) {
      const found = items("prompt").find(({ item }) => item.name === prompt);
      return run<GetPromptResult>(found?.tool ?? "", args);
    },
    complete: (params) => run<CompleteResult>(toolFor("completions"), { ...params }),
  };
}

/** Returns the data of a call. Throws the error of the server itself as it was; other failures with their status and code. */
function dataOf({ status, result, ticket, runId }: ToolOutcome): unknown {
  const { error, code, truncated, data } = result;
  if (error === undefined && truncated === undefined) return data;
  const own = serverError(result);
  if (own !== undefined) throw own;
  const facts = withoutUndefined({ runId, status, code, ticket });
  throw new RefusedRequest(error ?? "the result is larger than what the plan's limits let through", facts);
}

/** A request that the host refused or that waits for a person; the client reads why. */
export class RefusedRequest extends ProtocolError {
  constructor(message: string, facts: Readonly<Record<string, unknown>>) {
    super(ProtocolErrorCode.InvalidRequest, message, { [outcomeMetaKey]: facts });
  }
}
