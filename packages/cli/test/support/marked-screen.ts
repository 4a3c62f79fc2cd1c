import { createScreen, type Screen } from "../../src/screen/screen.ts";

/** A screen that keeps what is written to it, and shows a style as a word around its text: `red(failed)`. */
export function markedScreen(columns?: number): { readonly screen: Screen; readonly lines: () => string[] } {
  let text = "";
  const sink = { isTTY: columns !== undefined, columns, write: (piece: string) => (text += piece) };
  const screen = createScreen(sink, {});
  const paint: Screen["paint"] = (style, part) => `${[style].flat().join("+")}(${part})`;
  return {
    screen: { ...screen, columns: screen.columns, paint },
    lines: () => text.split("\n").slice(0, -1),
  };
}
