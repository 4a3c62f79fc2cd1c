/** What is used of WebAssembly. Node's types do not have it. */
interface WebAssembly {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => {
    readonly buffer: { readonly byteLength: number };
  };
}

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssembly }).WebAssembly;
