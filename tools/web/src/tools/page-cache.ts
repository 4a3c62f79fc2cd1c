import type { ExtractedPage } from "../extract/extract-page.ts";

/** A page that was read once. Later parts come from the same text. */
export interface ReadPage extends ExtractedPage {
  readonly finalUrl: string;
}

/** The pages that were read last, for a short time, by session and address. */
export interface PageCache {
  get(key: string): ReadPage | null;
  set(key: string, page: ReadPage): void;
}

const maxPages = 16;
const maxCharacters = 8_000_000;
const maxAgeMs = 300_000;

export function createPageCache(now: () => number): PageCache {
  const pages = new Map<string, { page: ReadPage; at: number }>();
  return {
    get(key) {
      const found = pages.get(key);
      return found === undefined || now() - found.at > maxAgeMs ? null : found.page;
    },
    set(key, page) {
      pages.delete(key);
      if (page.text.length > maxCharacters) return;
      pages.set(key, { page, at: now() });
      let total = [...pages.values()].reduce((sum, each) => sum + each.page.text.length, 0);
      for (const [old, each] of pages) {
        if (pages.size <= maxPages && total <= maxCharacters) return;
        pages.delete(old);
        total -= each.page.text.length;
      }
    },
  };
}
