// Serving a host
export { serveStreams, type ServedStreams, type ServeStreams } from "./serve/stdio.ts";
export { serveHttp, type HttpCaller, type ServedHttp, type ServeHttp } from "./serve/http.ts";
export type { ServedApprovals, ServeOptions } from "./serve/options.ts";
// The shapes of the protocol
export { fromMcpResult, outcomeMetaKey, toMcpResult } from "./wire/result.ts";
export { classify, toAnnotations, type Classification } from "./wire/annotations.ts";
