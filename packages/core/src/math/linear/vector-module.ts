/**
 * Modules of WebAssembly with one function and one memory, put together from instructions (*WebAssembly Core Specification* 2.0, section 5).
 *
 * WebAssembly is not available in old engines, and where a content security policy forbids it ('wasm-unsafe-eval').
 */

/** Types, and instructions; those of vectors with the exponent of the alignment, after which an offset follows. */
export const I32 = 0x7f;
export const F64 = 0x7c;
export const V128 = 0x7b;
export const BLOCK: readonly number[] = [0x02, 0x40];
export const LOOP: readonly number[] = [0x03, 0x40];
export const END = 0x0b;
export const BRANCH_IF = 0x0d;
export const LOCAL_GET = 0x20;
export const LOCAL_SET = 0x21;
export const LOCAL_TEE = 0x22;
export const I32_CONST = 0x41;
export const I32_LOAD: readonly number[] = [0x28, 2];
export const I32_EQUAL = 0x46;
export const I32_LESS_UNSIGNED = 0x49;
export const I32_ADD = 0x6a;
export const I32_SHIFT_LEFT = 0x74;
export const I32_SHIFT_RIGHT = 0x76;
export const V128_LOAD: readonly number[] = [0xfd, 0x00, 3];
export const V128_LOAD64_SPLAT: readonly number[] = [0xfd, 0x0a, 3];
export const V128_STORE: readonly number[] = [0xfd, 0x0b, 3];
export const F64X2_SPLAT: readonly number[] = [0xfd, 0x14];
export const F64X2_ADD: readonly number[] = [0xfd, 0xf0, 0x01];
export const F64X2_MULTIPLY: readonly number[] = [0xfd, 0xf2, 0x01];

const PAGE = 65536;

/** What is used of WebAssembly; ES2022 does not declare it. */
interface WebAssemblyScope {
  readonly WebAssembly?: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
    readonly Instance: new (
      module: object,
      imports: object,
    ) => { readonly exports: { readonly run: (...parameters: number[]) => void } };
  };
}

export interface VectorModule {
  readonly module: object;
}

/** A function of a module with a memory of its own. */
export interface VectorInstance {
  readonly buffer: ArrayBuffer;
  readonly run: (...parameters: number[]) => void;
}

/**
 * Compiles a function without results.
 *
 * @param parameters - Types of its parameters.
 * @param locals - Number and type of its other variables.
 * @param body - Its instructions.
 * @returns undefined where there is no WebAssembly, or none with vectors.
 */
export function compileVectorFunction(
  parameters: readonly number[],
  locals: readonly (readonly [number, number])[],
  body: readonly number[],
): VectorModule | undefined {
  const { WebAssembly } = globalThis as WebAssemblyScope;
  if (WebAssembly === undefined) return undefined;
  const bytes = Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[0x60, ...sized(parameters), 0]]),
    ...section(2, [[...name('own'), ...name('memory'), 2, 0, 1]]),
    ...section(3, [[0]]),
    ...section(7, [[...name('run'), 0, 0]]),
    ...section(10, [sized([...unsigned(locals.length), ...locals.flat(), ...body, END])]),
  ]);
  try {
    return { module: new WebAssembly.Module(bytes) };
  } catch {
    return undefined;
  }
}

/**
 * A memory of `size` bytes, zeros, and the function on it. As large as needed from the start: when a memory grows, V8 checks each access to
 * any array from then on.
 *
 * @returns undefined where there is no room for it.
 */
export function createVectorInstance({ module }: VectorModule, size: number): VectorInstance | undefined {
  const { WebAssembly } = globalThis as WebAssemblyScope;
  if (WebAssembly === undefined) return undefined;
  const pages = Math.max(1, Math.ceil(size / PAGE));
  try {
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { run } = new WebAssembly.Instance(module, { own: { memory } }).exports;
    return { buffer: memory.buffer, run };
  } catch {
    return undefined;
  }
}

/** The instructions of 0 <= k < count, one after the other. */
export function each(count: number, of: (k: number) => readonly number[]): number[] {
  return Array.from({ length: count }, (_, k) => of(k)).flat();
}

/** Unsigned LEB128. */
export function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

function sized(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

function section(id: number, entries: readonly (readonly number[])[]): number[] {
  return [id, ...sized([...unsigned(entries.length), ...entries.flat()])];
}

function name(text: string): number[] {
  return sized(Array.from(text, (letter) => letter.charCodeAt(0)));
}
