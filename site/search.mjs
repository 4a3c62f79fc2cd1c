// How the site's search ranks: guides before reference pages, and words that carry meaning before those that do not.

/** For a page or section, how much it counts beside others of the same words. Functions that the browser gets stand alone. */
function boostDocument(id) {
  if (/^\/?reference\/api\//.test(id)) return 0.15;
  if (/^\/?reference\/errors\b/.test(id)) return 0.6;
  if (/^\/?(?:reference\/|(?:about|security|contributing|pages)(?![\w-]))/.test(id)) return 0.3;
  if (/^\/?validate\b/.test(id)) return 0.4;
  if (/^\/?(?:examples\/|coming-from|use-with)/.test(id)) return 0.6;
  return 1;
}

/** A word as it is compared: without the words that every page has, and with one form for several of the same. */
function processTerm(term) {
  const word = term.toLowerCase().replace(/['’]s$/, "");
  if (
    /^(?:an?|the|of|to|in|on|for|and|or|is|are|it|how|do|does|did|i|my|one|with|that|what|toolmount)$/.test(
      word,
    )
  )
    return null;
  return word.replace(/(?<=.{4})(?:als?|e[ds]?|ing|s)$/, "");
}

/** The words of a text; a code such as LOCK_DRIFT is one. */
function tokenize(text) {
  return text.split(/[^\p{L}\p{N}_]+/u);
}

export const miniSearch = {
  options: { processTerm, tokenize },
  searchOptions: {
    fuzzy: 0.15,
    prefix: true,
    boost: { title: 4, titles: 2, text: 1 },
    boostDocument,
  },
};
