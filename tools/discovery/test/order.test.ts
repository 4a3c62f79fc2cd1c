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
