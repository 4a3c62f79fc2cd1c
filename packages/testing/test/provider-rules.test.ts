import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { anthropicApi, chatApi, geminiApi, responsesApi, type ProviderRequest } from "../src/providers.ts";

const apis = { responses: responsesApi, chat: chatApi, anthropic: anthropicApi, gemini: geminiApi };

/** Requests, each with the rules that it breaks, and where. */
const requests = readFileSync(join(import.meta.dirname, "provider-requests.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [title, request, ...broken] = group.split("\n");
    const [api, shown] = title!.slice(2).split(": ", 2) as [keyof typeof apis, string];
    return { api, shown, request: JSON.parse(request!) as ProviderRequest, broken };
  });

test.each(requests)("$api: $shown", ({ api, request, broken }) => {
  expect(apis[api].check(request).map(({ rule, problem }) => `${rule}: ${problem}`)).toEqual(broken);
});

describe.each(Object.entries(apis))("%s", (name, { rules }) => {
  test("each rule is one sentence, and a request in the table breaks it", () => {
    for (const sentence of Object.values(rules)) expect(sentence).toMatch(/^[`A-Z][^~]*\.$/);
    const broken = requests.filter(({ api }) => api === name).flatMap((row) => row.broken);
    const found = new Set(broken.map((line) => line.split(": ")[0]));
    expect(found).toEqual(new Set(Object.keys(rules)));
  });
});
