import { createMarkdownWriter } from "../screen/markdown.ts";
import { printableLines } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** The model's text and thoughts while they arrive. */
interface Prose {
  text(piece: string): void;
  thought(piece: string): void;
  /** Ends the line that is open, so that something else can be written. */
  end(): void;
}

/** A terminal shows Markdown as it reads, unless it `isPlain` and cannot draw again. */
export function createProse(screen: Screen, isPlain: boolean): Prose {
  let open: "text" | "thought" | null = null;
  const markdown = isPlain || screen.columns === undefined ? undefined : createMarkdownWriter(screen);
  const end = () => {
    if (open === "text" && markdown !== undefined) markdown.end();
    else if (open !== null) screen.line();
    open = null;
  };
  const begin = (kind: "text" | "thought") => {
    if (open !== kind) end();
    open = kind;
  };
  return {
    end,
    text(piece) {
      begin("text");
      if (markdown === undefined) screen.write(printableLines(piece));
      else markdown.write(printableLines(piece));
    },
    thought(piece) {
      begin("thought");
      screen.write(screen.paint("dim", printableLines(piece)));
    },
  };
}
