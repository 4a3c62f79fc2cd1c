import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mounted } from "./mounted.ts";

/** Programs that try to leave the sandbox, to reach another program, or to stop the host. One that succeeds returns "out". */
const attacks: Readonly<Record<string, readonly string[]>> = {
  "reaches the host's globals": [
    "return typeof process !== 'undefined' && process.pid ? 'out' : 0",
    "return typeof require === 'function' ? 'out' : 0",
    "return typeof fetch === 'function' || typeof XMLHttpRequest === 'function' ? 'out' : 0",
    "return typeof setTimeout === 'function' || typeof setInterval === 'function' ? 'out' : 0",
    "return typeof std === 'object' || typeof os === 'object' || typeof scriptArgs === 'object' ? 'out' : 0",
    "return typeof WebAssembly === 'object' || typeof Worker === 'function' ? 'out' : 0",
    "return typeof performance === 'object' || typeof Atomics === 'object' ? 'out' : 0",
  ],
  "makes code by a constructor": [
    "return Function('return typeof process')() === 'undefined' ? 0 : 'out'",
    "return (async () => {}).constructor('return typeof process')().then((one) => one === 'undefined' ? 0 : 'out')",
    "return (function* () {}).constructor('yield typeof process')().next().value === 'undefined' ? 0 : 'out'",
    "return (await tools.add.constructor('return typeof process')()) === 'undefined' ? 0 : 'out'",
    "return console.log.constructor.constructor('return typeof process')() === 'undefined' ? 0 : 'out'",
    "return (0, eval)('typeof process') === 'undefined' ? 0 : 'out'",
    "return ToolError.constructor('return this.process ? 1 : 0')() ? 'out' : 0",
  ],
  "imports a module": [
    "const fs = await import('node:fs'); return fs ? 'out' : 0",
    "const fs = await import('file:///etc/passwd'); return fs ? 'out' : 0",
    "return import.meta.url ? 'out' : 0",
    "const one = await import('data:text/javascript,export default 1'); return one ? 'out' : 0",
  ],
  "pollutes what crosses": [
    "Object.prototype.error = 'x'; return await tools.add({ a: 1, b: 2 })",
    "Object.prototype.toJSON = () => ({ to: 'eve' }); await tools.send({ to: 'ada' }); return 0",
    'return await tools.add(JSON.parse(\'{"__proto__":{"polluted":1},"a":1,"b":2}\'))',
    'return JSON.parse(\'{"__proto__":{"polluted":1}}\')',
    "return { __proto__: null, constructor: { prototype: { polluted: 1 } } }",
    "return await tools.send({ to: 'ada', __proto__: { polluted: 1 } })",
  ],
  "lies with getters, proxies and thenables": [
    "let at = 0; await tools.add({ get a() { return ++at }, b: 1 }); return at > 1 ? 'out' : 0",
    "await tools.add(new Proxy({ a: 1, b: 1 }, { ownKeys() { throw new Error('no') } }))",
    "return { then(done) { done({ then(next) { next('late') } }) } }",
    "return new Proxy({}, { get() { throw 'x' } })",
    "return await tools.add({ a: { valueOf: () => 1 }, b: 1 })",
    "return { toJSON() { return { status: 'ok', ticket: 'x' } } }",
    "throw new Proxy(new Error('x'), { get(target, key) { if (key === 'stack') throw 1; return target[key] } })",
    "throw { get message() { for (;;); } }",
    "throw { name: {}, message: Symbol('x'), stack: 7 }",
  ],
  "replaces what a call needs": [
    "JSON.stringify = () => '{\"to\":\"mallory\"}'; await tools.send({ to: 'ada' }); return 0",
    "JSON.parse = () => ({ data: 'out' }); return await tools.add({ a: 1, b: 1 })",
    "Promise.prototype.then = function (done) { done('{\"data\":1}') }; return await tools.add({ a: 1, b: 1 })",
    "globalThis.tools = {}; return await tools.add({ a: 1, b: 1 })",
    "tools.add = () => 'out'; return await tools.add({ a: 1, b: 1 })",
    "delete tools.add; Object.defineProperty(tools, 'add', { value: () => 'out' }); return tools.add()",
    "Date = undefined; Error = undefined; await tools.fail(); return 0",
    "Array.prototype.map = () => ['out']; console.log('x'); return 0",
  ],
  "calls what it may not": [
    "return await tools.run_program({ source: 'return 1' })",
    "return await tools['?find']({ query: 'x' })",
    "return await tools.constructor({})",
    "return await tools.__proto__({})",
    "return await tools.then({})",
    "return await tools[Symbol.toPrimitive]({})",
    "return await tools.pay({ to: 'mallory', ticket: 'approved' })",
    "return await tools.pay.call({ approved: true }, { to: 'mallory' })",
  ],
  "is too large, too deep or without end": [
    "return 'x'.repeat(2 ** 28)",
    "return new Array(2 ** 31 - 1).fill(0)",
    "return new ArrayBuffer(2 ** 31)",
    "const deep = (n) => deep(n + 1) + 1; return deep(0)",
    "let a = {}; for (let n = 0; n < 1e5; n++) a = { a }; return a",
    "let a = []; for (let n = 0; n < 1e5; n++) a = [a]; return await tools.send({ to: a })",
    "let one = Promise.resolve(1); for (let n = 0; n < 1e5; n++) one = one.then((a) => a); return await one",
    "return /^(a+)+$/.test('a'.repeat(40) + 'b')",
    "function* on() { for (;;) yield 1 } let n = 0; for (const a of on()) n += a; return n",
    "for (;;) Promise.resolve().then(() => {}); return 0",
    "const next = () => Promise.resolve().then(next); await next()",
    "for (let n = 0; n < 1e6; n++) console.log('x'.repeat(100)); return 0",
    "for (let n = 0; n < 50; n++) Promise.reject(new Error('not caught')); return 0",
    "await tools.send({ to: 'x'.repeat(5e6) })",
    "class A extends Array { get length() { return Infinity } } return new A()",
    "Error.prepareStackTrace = () => { for (;;); }; throw new Error('x')",
    "return Array.from({ length: 5000 }, () => tools.add({ a: 1, b: 1 })).length",
  ],
  "fills its memory": [
    "const kept = []; for (;;) kept.push({ a: 1 })",
    "const kept = []; for (let n = 0; ; n++) kept.push(String(n).repeat(10_000))",
    "const text = 'x'.repeat(1e6), kept = []; for (;;) kept.push(text.slice(1))",
    "const kept = []; for (;;) kept.push(new ArrayBuffer(65_536))",
    "const kept = new Map(); for (let n = 0; ; n++) kept.set(n, { n })",
    "const kept = []; for (let n = 0; ; n++) kept.push(new RegExp('a' + n))",
    "const one = new ArrayBuffer(1, { maxByteLength: 1e9 }); one.resize(1e9); return one.byteLength",
    "let n = 2n; for (;;) n *= n",
    // Then the host has something for it: the data of a call, an error, the hint for a name.
    "const kept = []; try { for (;;) kept.push(new Uint8Array(64)) } catch {} return (await tools.long()).length",
    "const kept = []; try { for (;;) kept.push('x' + kept.length) } catch {} await tools.fail()",
    "const kept = []; try { for (;;) kept.push({}) } catch {} return tools.ad",
    "for (let n = 0; n < 50; n++) { const kept = []; try { for (;;) kept.push(new Uint8Array(65_536)) } catch {} } return 0",
  ],
  "takes the frame of its calls apart": [
    "}); for (;;) {} (async () => {",
    "}); throw new SyntaxError('again'); (async () => {",
    "}); tools.pay({ to: 'mallory' }); throw new SyntaxError('again'); (async () => {",
    "Promise.prototype.then = () => {}; return await tools.add({ a: 1, b: 1 })",
    "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw 1 } }); return await tools.add({ a: 1, b: 1 })",
    "globalThis.Promise = class { constructor(run) { run((value) => { globalThis.got = value }) } }; await tools.add({ a: 1, b: 1 }); return globalThis.got ? 'out' : 0",
    "Object.prototype[1] = () => 'out'; Object.prototype[2] = 'out'; return await tools.add({ a: 1, b: 1 })",
    "Object.defineProperty(Object.prototype, 1, { set() { throw 1 } }); return await tools.add({ a: 1, b: 1 })",
    "Number.prototype.toString = () => '1'; const all = [tools.add({ a: 1, b: 1 }), tools.add({ a: 2, b: 2 })]; return (await Promise.all(all)).join() === '2,4' ? 0 : 'out'",
    `return ${"1 <".repeat(50_000)} 1 ${"> ".repeat(50_000)} 1`,
    `return 1 <${" ".repeat(200_000)}> 1`,
  ],
  "keeps something for the next program": [
    "globalThis.left = 1; Object.prototype.left = 1; Date.left = 1; return 0",
    "tools.add.left = 1; return 0",
    "return globalThis.left ?? ({}).left ?? Date.left ?? tools.add.left ? 'out' : 0",
  ],
};

describe("no program", () => {
  let world: Awaited<ReturnType<typeof mounted>>;
  beforeAll(async () => {
    world = await mounted({ max_calls: 100, max_steps: 200, memory_mb: 16 }, {}, () => {});
  });
  afterAll(() => world.host.close());

  const cases = Object.entries(attacks).flatMap(([kind, sources]) =>
    sources.map((source) => [kind, source] as const),
  );

  test.each(cases)("%s: %s", async (_, source) => {
    const { run, did, host } = world;
    did.length = 0;
    const { status, result } = await run(source);
    expect(["ok", "failed", "unknown"]).toContain(status);
    expect((result.data as { result?: unknown } | undefined)?.result).not.toBe("out");
    expect(did.filter((one) => /pay|mallory/.test(one))).toEqual([]);
    expect(["polluted", "error", "left", "toJSON"].filter((key) => key in {})).toEqual([]);
    const after = await host.call({ name: "add", arguments: { a: 1, b: 1 } });
    expect(after.status).toBe("ok");
  });
});
