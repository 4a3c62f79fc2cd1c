import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import type { Opening } from "./messages.ts";
import { webAssembly } from "./web-assembly.ts";

/** Pages of 64 KB that the engine begins with; its own data and stack are in them. */
const firstPages = 256;
const pagesOfMegabyte = 16;
const pageBytes = 65_536;

/** What the engine calls its function that allocates. */
const malloc = "_malloc";

/** A program has filled its memory, so that it cannot be given what it waits for. Its engine must not be used again. */
export class NoMemory extends Error {}

/** An engine for one program. */
export interface Engine {
  readonly module: QuickJSWASMModule;
  /** Whether its memory has grown as far as it can. It grows in steps. */
  readonly isFull: () => boolean;
}

// Its types describe the CommonJS file, whose default is a member; Node imports the other one.
const plain = variant as unknown as QuickJSSyncVariant;

/** Opens the engine with memory that does not grow beyond the program's limit. The engine's own limit misses long texts and buffers. */
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

/** A loader of engines that throw where memory for a text of the host is missing. Theirs write the text to address 0 then. */
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
