// Types for libraries without types: only what is used.

declare module "html-encoding-sniffer" {
  /** The encoding of a page, by its name in the Encoding Standard. */
  function htmlEncodingSniffer(
    bytes: Uint8Array,
    options: { xml: boolean; transportLayerEncodingLabel?: string; defaultEncoding: string },
  ): string;
  export = htmlEncodingSniffer;
}
