// Types for libraries without types; only those that are used here.

declare module "html-encoding-sniffer" {
  /** Returns the encoding of a page, by its name in the Encoding Standard. */
  function htmlEncodingSniffer(
    bytes: Uint8Array,
    options: { xml: boolean; transportLayerEncodingLabel?: string; defaultEncoding: string },
  ): string;
  export = htmlEncodingSniffer;
}
