// Types for libraries without types: only what is used.

declare module "@joplin/turndown-plugin-gfm" {
  import type TurndownService from "turndown";

  /** Tables, task lists and strikethrough of GitHub's Markdown. */
  export const gfm: TurndownService.Plugin;
}

declare module "html-encoding-sniffer" {
  /** The encoding of a page, by its name in the Encoding Standard. */
  function htmlEncodingSniffer(
    bytes: Uint8Array,
    options: { xml: boolean; transportLayerEncodingLabel?: string; defaultEncoding: string },
  ): string;
  export = htmlEncodingSniffer;
}
