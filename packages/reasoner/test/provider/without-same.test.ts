import { expect, test } from "vitest";
import { withoutSame } from "../../src/provider/ranked-models.ts";
import type { Settings } from "../../src/config/settings.ts";

const settings = (model: string, more: Partial<Settings> = {}) => ({ model, ...more }) as Settings;

test("of models that are ranked twice, the place and the settings of the first count", () => {
  const preferred = settings("a", { temperature: 0 });
  const other = settings("a", { baseUrl: "http://127.0.0.1/v1" });

  expect(withoutSame([preferred, settings("b"), settings("a"), other])).toEqual([
    preferred,
    settings("b"),
    other,
  ]);
});
