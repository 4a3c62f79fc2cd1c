import { expect, test } from "vitest";
import { createOrder } from "../src/order.ts";
import { wordsOf } from "../src/words.ts";

/** Tools, as `owner/name` with how well their words fit, in the order for a query. */
function order(query: string, tools: Readonly<Record<string, number>>) {
  const ids = Object.keys(tools);
  const named = ids.map((id) => {
    const [owner = "", declaredName = ""] = id.split("/");
    return { owner, declaredName };
  });
  const found = Object.values(tools).map((score, at) => ({ at, score }));
  return createOrder(named)(found, wordsOf(query)).map((at) => ids[at]);
}

test("a tool whose whole name is asked for comes before one whose name says more", () => {
  const found = order("save a file", { "drawings/save_svg_code": 1, "disk/writeFile": 0.95 });

  expect(found).toEqual(["disk/writeFile", "drawings/save_svg_code"]);
});

test("of the tools of one name only the best has its place, the others come later", () => {
  const found = order("read it", { "disk/readFile": 1, "desktop/read_file": 1, "pages/show_page": 0.8 });

  expect(found).toEqual(["disk/readFile", "pages/show_page", "desktop/read_file"]);
});

test("two tools of one owner are not taken for the same, though their names have the same words", () => {
  const found = order("read it", { "hub/get_user": 1, "hub/get_all_users": 0.9, "pages/show_page": 0.8 });

  expect(found).toEqual(["hub/get_user", "hub/get_all_users", "pages/show_page"]);
});

test("a tool whose owner has others that fit comes before one whose owner has none", () => {
  const found = order("report", { "shop/a": 0.7, "market/b": 0.65, "market/c": 0.6 });

  expect(found).toEqual(["market/b", "shop/a", "market/c"]);
});

test("a tool whose name has no word that says something keeps its place", () => {
  const found = order("read a file", { "one/get": 0.9, "two/all": 1, "three/page": 0.8 });

  expect(found).toEqual(["two/all", "one/get", "three/page"]);
  expect(order("read a file", {})).toEqual([]);
});

test("a name that is asked for in part adds its share of a fifth", () => {
  // 1.1 for half a name, 1.2 for a whole one.
  expect(order("save it", { "a/save_it_all": 1, "b/save_page": 1.09 })).toEqual([
    "a/save_it_all",
    "b/save_page",
  ]);
  expect(order("save", { "a/save_page": 1, "b/open_page": 1.09 })).toEqual(["a/save_page", "b/open_page"]);
  expect(order("save", { "a/save_page": 1, "b/open_page": 1.11 })).toEqual(["b/open_page", "a/save_page"]);
});

test("the next two tools of an owner add a fifth at most, further ones nothing", () => {
  const three = { "a/one1": 1, "b/two1": 0.9, "b/two2": 0.9, "b/two3": 0.9 };
  // 0.9 * (1 + 0.2 * (0.9 + 0.9) / 2) = 1.062
  expect(order("kiwi", three)).toEqual(["b/two1", "b/two2", "b/two3", "a/one1"]);
  expect(order("kiwi", { ...three, "a/one1": 1.07 })).toEqual(["a/one1", "b/two1", "b/two2", "b/two3"]);
  expect(order("kiwi", { "a/one1": 1, "b/two1": 0.9, "b/two2": 0.9 })[0]).toBe("a/one1");
});

test("a second tool of a name counts three fifths", () => {
  const tools = { "a/read_file": 1, "b/read_file": 1, "c/other1": 0.5 };

  expect(order("kiwi", { ...tools, "c/other1": 0.59 })).toEqual(["a/read_file", "b/read_file", "c/other1"]);
  expect(order("kiwi", { ...tools, "c/other1": 0.61 })).toEqual(["a/read_file", "c/other1", "b/read_file"]);
});
