import { extractPage, type ExtractedPage, type ExtractOptions } from "../extract/extract-page.ts";
import { fetchPage, type Page } from "../fetch/fetch-page.ts";
import { FetchProblem } from "../fetch/problem.ts";
import { refreshOf } from "../page/destination.ts";
import type { Web } from "../web.ts";

/** A page that was read once. Later parts are taken from the same text. */
export interface ReadPage extends ExtractedPage {
  readonly finalUrl: string;
}

/** Maximum number of refreshes that one call follows. Each leads to a page that is fetched like the first. */
const maxRefreshes = 3;

/**
 * Fetches a page, and follows a refresh by the header `Refresh` or, if the page has little text, by its `meta` element, as
 * browsers do. Throws `HTTP_ERROR` for a status that is not a success.
 */
export async function readAddress(
  web: Web,
  first: string,
  { whole, signal }: { whole: boolean; signal: AbortSignal },
): Promise<ReadPage> {
  const { reader, readLimits: limits, settings } = web;
  let url = first;
  for (let count = 0; ; count++) {
    const fetched = await fetchPage(url, web.fetchOptions, signal);
    const options = { reader, limits, readable: settings.extract_text, whole, signal };
    if (fetched.status < 200 || fetched.status > 299) throw await httpProblem(fetched, options);
    const byHeader = refreshOf(fetched.refresh ?? "", fetched.finalUrl);
    const page = await extractPage(fetched, options);
    const next = byHeader ?? (page.destination?.by === "refresh" ? page.destination.address : null);
    if (next === null) return { ...page, ...namedStatus(fetched, page), finalUrl: fetched.finalUrl };
    if (count === maxRefreshes) throw tooManyRefreshes(first);
    url = next;
  }
}

/** Adds a warning with the status of a success other than 200, such as 206 for a part or 204 for no content. */
function namedStatus({ status, reason }: Page, { warnings }: ExtractedPage): Pick<ExtractedPage, "warnings"> {
  return {
    warnings:
      status === 200 ? warnings : [`the server answered HTTP ${status} ${reason}`.trim(), ...warnings],
  };
}

/** Maximum number of characters of a server's text about an error. */
const maxWords = 2000;

/** Makes the error for a status that is not a success, with the server's text, which often says what to do. */
async function httpProblem(page: Page, options: ExtractOptions): Promise<FetchProblem> {
  const { status, reason, retryAfter } = page;
  const words = await extractPage(page, options).then(
    ({ text }) => text.trim().slice(0, maxWords).toWellFormed(),
    (thrown: unknown) => {
      // An error page that has no text adds nothing to its status.
      if (thrown instanceof FetchProblem && thrown.code !== "FETCH_CANCELLED") return "";
      throw thrown;
    },
  );
  const said = words === "" ? "" : `. The server says: ${words}`;
  const wait = retryAfter === undefined ? "" : `. Retry-After: ${retryAfter}`;
  return new FetchProblem("HTTP_ERROR", `HTTP ${status}: ${reason || "no reason given"}${wait}${said}`, {
    status,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  });
}

function tooManyRefreshes(url: string): FetchProblem {
  const message = `Too many redirects fetching ${url.slice(0, 300)}: more than ${maxRefreshes} pages that only refresh`;
  return new FetchProblem("TOO_MANY_REDIRECTS", message, { max_redirects: maxRefreshes });
}
