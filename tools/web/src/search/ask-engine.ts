import type { EngineSettings, ParsedSettings } from "../config.ts";
import { withDeadline } from "../fetch/fetch-page.ts";
import { askServer, isRedirect } from "../fetch/hop.ts";
import { FetchProblem } from "../fetch/problem.ts";
import { bareHost } from "../guard/domains.ts";
import { portOf, type Target } from "../guard/target.ts";
import { parsePage, wordsOf } from "../page/tree.ts";
import type { Web } from "../web.ts";
import { brave } from "./brave.ts";
import type { Engine, SearchResult } from "./engine.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** Maximum number of bytes of an engine's answer. */
const maxAnswerBytes = 4_194_304;

/** Creates the engine that the `type` of the settings names. */
export function createEngine(settings: EngineSettings, common: Pick<ParsedSettings, "user_agent">): Engine {
  if (settings.type === "searxng") return searxng(settings, common);
  return settings.type === "brave" ? brave(settings, common) : tavily(settings, common);
}

/**
 * Sends a query to one engine. The plan gives the engine's address, so it may be in a private network. Redirects are refused,
 * because they could send the key to another server. Throws a {@link FetchProblem} without key and address.
 */
export async function askEngine(
  web: Web,
  type: EngineSettings["type"],
  engine: Engine,
  { query, limit }: { query: string; limit: number },
  signal: AbortSignal,
): Promise<readonly SearchResult[]> {
  const { url, request, read } = engine(query, limit);
  const body = await withDeadline(web.fetchOptions, signal, `results from ${type}`, async (both) => {
    const target = await targetOf(url, web);
    const limits = { max_download_bytes: maxAnswerBytes, max_decoded_bytes: maxAnswerBytes };
    const answer = await askServer(target, request, { connect: web.connect, limits, signal: both });
    if (answer.status === 200 && !isRedirect(answer)) return answer.body;
    throw new FetchProblem("HTTP_ERROR", `${type} answered with HTTP ${answer.status}`, {
      status: answer.status,
    });
  });
  const results = read(parseJson(body));
  if (results === null) throw new FetchProblem("FETCH_FAILED", `${type} answered without a list of results`);
  return results
    .filter(({ url: found }) => isWebAddress(found))
    .slice(0, limit)
    .map(plain);
}

async function targetOf(address: string, web: Web): Promise<Target> {
  const url = new URL(address);
  const host = bareHost(url.hostname);
  const secure = url.protocol === "https:";
  const addresses = /^[\d.]+$|:/.test(host) ? [host] : await web.resolve(host);
  return { url, host, secure, addresses, port: portOf(url) };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

function isWebAddress(address: string): boolean {
  return /^https?:$/.test(URL.parse(address)?.protocol ?? "");
}

/** Removes the tags and entities with which engines mark matches. */
function plain({ title, url, snippet }: SearchResult): SearchResult {
  return { title: plainText(title), url, snippet: plainText(snippet) };
}

function plainText(text: string): string {
  return wordsOf(parsePage(text.slice(0, 10_000), false))
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
