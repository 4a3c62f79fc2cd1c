import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import type { Opening } from "./messages.ts";
import { webAssembly } from "./web-assembly.ts";

/** Pages of 64 KB with which the engine begins; they hold its own data and its stack. */
const firstPages = 256;
const pagesOfMegabyte = 16;
const pageBytes = 65_536;

/** Name of the engine's function that allocates memory. */
const malloc = "_malloc";

/** The error if a program's memory is full, so that it cannot get the answer of a call. Its engine must not be used again. */
export class NoMemory extends Error {}

/** QuickJS in WebAssembly, with separate memory for one program. */
export interface Engine {
  readonly module: QuickJSWASMModule;
  /** Whether the engine's memory has nearly reached its limit. The memory grows in steps. */
  readonly isFull: () => boolean;
}

// The package's types describe its CommonJS file, which has the default export as a member; Node imports the other file.
const plain = variant as unknown as QuickJSSyncVariant;

/**
 * Opens an engine whose memory cannot exceed the program's limit. The engine's own limit does not count long texts and buffers.
 */
export async function openEngine({ compiled, memoryMb }: Opening): Promise<Engine> {
  const maximum = firstPages + memoryMb * pagesOfMegabyte;
  const wasmMemory = new webAssembly.Memory({ initial: firstPages, maximum });
  const bounded = newVariant(plain, { wasmModule: compiled as never, wasmMemory: wasmMemory as never });
  const module = await newQuickJSWASMModuleFromVariant({
    ...bounded,
    importModuleLoader: () => loaderOf(bounded),
  });
  return { module, isFull: () => wasmMemory.buffer.byteLength > 0.9 * maximum * pageBytes };
}

type Loader = Extract<
  Awaited<ReturnType<QuickJSSyncVariant["importModuleLoader"]>>,
  (...options: never[]) => unknown
>;

/**
 * Returns a loader of engines that throw if there is no memory for a text of the host. The original would write it to address
 * 0.
 */
async function loaderOf(engine: QuickJSSyncVariant): Promise<Loader> {
  const load = (await engine.importModuleLoader()) as Loader;
  return async (options) => {
    const module = await load(options);
    const allocate = module[malloc].bind(module);
    module[malloc] = (bytes) => {
      const address = allocate(bytes);
      if (address === 0) throw new NoMemory();
      return address;
    };
    return module;
  };
}
