/** Those parts of WebAssembly that are used here. Node's types do not include them. */
interface WebAssembly {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => {
    readonly buffer: { readonly byteLength: number };
  };
}

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssembly }).WebAssembly;
