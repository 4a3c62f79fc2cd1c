/**
 * Code that runs in the sandbox before the program, and provides `tools` with a member for each tool, `console`, a clock that
 * stands still, and random numbers that a second run repeats. It stores those functions of the language that it needs, because
 * a program may replace every global.
 */
export const prelude = `(function (send, print, nearest, names, now, seed, maxText) {
  "use strict";
  const { stringify, parse } = JSON;
  const { defineProperty, freeze, create, getPrototypeOf } = Object;
  const construct = Reflect.construct;
  const text = String;
  const RealPromise = Promise;
  const RealError = Error;

  // A function may have any name, also one that looks like a place, so where a program calls is known by places alone. The
  // engine asks its formatter of stacks for them, which no program can set.
  const { set: setFormatter } = Object.getOwnPropertyDescriptor(RealError, "prepareStackTrace");
  const { apply } = Reflect;
  const stackBy = (formatter) => {
    apply(setFormatter, RealError, [formatter]);
    const { stack } = new RealError();
    apply(setFormatter, RealError, [undefined]);
    return stack;
  };
  const { getFileName, getLineNumber, getColumnNumber } = getPrototypeOf(stackBy((error, sites) => sites[0]));
  const places = (error, sites) => {
    let shown = "";
    for (let at = 0; at < sites.length; at++)
      shown += "at " + apply(getFileName, sites[at], []) + ":" + apply(getLineNumber, sites[at], []) +
        ":" + apply(getColumnNumber, sites[at], []) + "\\n";
    return shown;
  };
  for (const fixed of ["prepareStackTrace", "stackTraceLimit"])
    defineProperty(RealError, fixed, { get: () => undefined, set: undefined, configurable: false });

  // The promises of calls that have no answer yet. The host knows them by number, and makes no objects for them.
  const waiting = create(null);
  let calls = 0;
  const call = (name, json, stack) => new RealPromise((resolve) => {
    if (json.length > maxText)
      throw new RangeError("the arguments of " + name + " are longer than " + maxText + " characters");
    calls++;
    waiting[calls] = resolve;
    // One text: each value that crosses has its price. JSON has no line ends, and neither has a name.
    send(name + "\\n" + json + "\\n" + stack);
  });
  const answer = (id, said) => {
    const resolve = waiting[id];
    delete waiting[id];
    resolve(said);
  };

  class ToolError extends RealError {
    constructor(message, code, tool) {
      super(message);
      this.name = "ToolError";
      this.code = code;
      this.tool = tool;
    }
  }

  const members = create(null);
  for (let at = 0; at < names.length; at++) {
    const name = names[at];
    const run = {
      async [name](given) {
        const json = given === undefined ? "{}" : stringify(given);
        if (json === undefined || json[0] !== "{")
          throw new TypeError("tools." + name + " takes one object with its arguments");
        // After the wait the program is no longer on the stack: the error shows where it called.
        const stack = stackBy(places);
        const answer = parse(await call(name, json, stack));
        if (answer.error === undefined) return answer.data;
        throw defineProperty(new ToolError(answer.error, answer.code, name), "stack", { value: stack });
      },
    }[name];
    defineProperty(members, name, { value: freeze(run), enumerable: true });
  }
  freeze(members);
  const tools = new Proxy(members, freeze({
    get(target, key) {
      if (typeof key === "symbol" || key in target) return target[key];
      if (key === "then" || key === "toJSON") return undefined;
      throw new TypeError("there is no tool " + stringify(key) + nearest(key));
    },
    set(target, key) {
      throw new TypeError("tools cannot be changed");
    },
  }));

  const describe = async (given) => {
    const stack = stackBy(places);
    const answer = parse(await call("?describe", stringify(given), stack));
    if (answer.error === undefined) return answer.data.declarations;
    throw defineProperty(new ToolError(answer.error, answer.code), "stack", { value: stack });
  };
  const findTools = (query) => describe({ query });
  const describeTools = (names) => describe({ names: typeof names === "string" ? [names] : names });

  const shown = (value) => {
    if (typeof value === "string") return value;
    try {
      return stringify(value) ?? text(value);
    } catch {
      return "[a value that is no JSON]";
    }
  };
  const log = (...values) => print(values.map(shown).join(" "));
  const console = freeze({ log, info: log, warn: log, error: log, debug: log });

  const requireSession = () => {
    if (now === null) throw new TypeError("time and chance are there only when the call has a session");
  };
  const RealDate = Date;
  function FixedDate(...given) {
    if (new.target === undefined || given.length === 0) requireSession();
    if (new.target === undefined) return new RealDate(now).toString();
    return construct(RealDate, given.length === 0 ? [now] : given, new.target);
  }
  FixedDate.prototype = RealDate.prototype;
  defineProperty(RealDate.prototype, "constructor", { value: FixedDate });
  FixedDate.now = () => (requireSession(), now);
  FixedDate.parse = RealDate.parse;
  FixedDate.UTC = RealDate.UTC;

  let state = seed >>> 0;
  const random = () => {
    requireSession();
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  for (const gone of ["performance", "WeakRef", "FinalizationRegistry", "Atomics", "SharedArrayBuffer"])
    delete globalThis[gone];
  // Which call ends first may differ when the program runs again.
  delete Promise.race;
  delete Promise.any;
  defineProperty(Math, "random", { value: random });
  defineProperty(globalThis, "Date", { value: FixedDate, writable: true, configurable: true });
  defineProperty(globalThis, "tools", { value: tools });
  defineProperty(globalThis, "console", { value: console });
  defineProperty(globalThis, "ToolError", { value: ToolError });
  defineProperty(globalThis, "findTools", { value: findTools });
  defineProperty(globalThis, "describeTools", { value: describeTools });

  const describeThrown = (thrown) => {
    const isError = typeof thrown === "object" && thrown !== null;
    const read = (key) => {
      try {
        const value = isError ? thrown[key] : undefined;
        return typeof value === "string" ? value : undefined;
      } catch {
        return undefined;
      }
    };
    return stringify({
      name: read("name") ?? "Error",
      message: read("message") ?? shown(thrown),
      code: read("code"),
      stack: read("stack"),
    });
  };
  const RealMap = Map;
  const RealSet = Set;
  const refuse = (what, instead) => {
    throw new TypeError(what + (instead === undefined ? "" : "; return " + instead));
  };
  // What JSON would leave out without a word, or would refuse without a way to fix it.
  const checked = (key, value) => {
    if (value instanceof RealMap) refuse("a Map", "Object.fromEntries(map) or [...map]");
    if (value instanceof RealSet) refuse("a Set", "[...set]");
    if (typeof value === "bigint") refuse("a BigInt", "Number(value) or String(value)");
    return value;
  };
  const toResult = (value) => {
    if (value === undefined) return undefined;
    return stringify(value, checked) ?? refuse("a " + typeof value);
  };
  return {
    answer,
    value: toResult,
    describe: describeThrown,
  };
})`;
