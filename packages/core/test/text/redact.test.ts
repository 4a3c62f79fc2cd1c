import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryStore, data } from "../../src/index.ts";
import { redactingLogger } from "../../src/text/redacting-logger.ts";
import {
  createRedactor,
  createSecretTexts,
  mask,
  namesSecret,
  redact,
  redactArguments,
  truncateText,
} from "@toolmount/core/text";
import type { Json, Logger } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const wellKnown = [
  "api_key",
  "apikey",
  "api-key",
  "secret",
  "password",
  "token",
  "credential",
  "credentials",
  "private_key",
  "privatekey",
  "auth",
  "authorization",
];

describe("redaction by name", () => {
  test.each(
    wellKnown.flatMap((key) => [key, key.toUpperCase(), key.replace(/^./, (first) => first.toUpperCase())]),
  )("AMP-N63: masks what stands under %s, at every depth", (key) => {
    expect(redact({ a: [{ [key]: "x" }], [key]: { any: ["thing"] } })).toEqual({
      a: [{ [key]: mask }],
      [key]: mask,
    });
  });

  test.each(["X-Api-Key", "accessToken", "client_secret", "db.password", "Set-Cookie", "GITHUB_TOKEN"])(
    "masks what stands under %s, too",
    (key) => {
      expect(redact({ [key]: "x" })).toEqual({ [key]: mask });
    },
  );

  test.each(["max_tokens", "inputTokens", "author", "authored_by", "key", "name", "tokens_used"])(
    "leaves what stands under %s",
    (key) => {
      expect(namesSecret(key)).toBe(false);
      expect(redact({ [key]: "x" })).toEqual({ [key]: "x" });
    },
  );

  test("leaves empty values, and copies: the given value stays unchanged", () => {
    const given = { password: "", token: null, secret: true, list: [{ auth: "a" }] };
    expect(redact(given)).toEqual({ password: "", token: null, secret: true, list: [{ auth: mask }] });
    expect(given.list[0]!.auth).toBe("a");
  });
});

describe("redaction by value", () => {
  const secret = 's3cr€t/+ key?&=ü"';
  const hide = createRedactor([secret]);
  const bytes = (text: string) => Buffer.from(text);

  test.each<[string, string]>([
    ["as it is", secret],
    ["as JSON writes it", JSON.stringify({ a: secret })],
    ["URL-encoded", encodeURIComponent(secret)],
    [
      "URL-encoded in lower case",
      encodeURIComponent(secret).replaceAll(/%../g, (escape) => escape.toLowerCase()),
    ],
    ["in base64", bytes(secret).toString("base64")],
    ["in base64 for URLs", bytes(secret).toString("base64url")],
    ["in base64 after a user's name", `Basic ${bytes(`ada:${secret}`).toString("base64")}`],
    ["in base64 after another name", `Basic ${bytes(`adam:${secret}:x`).toString("base64")}`],
    ["in base64 after yet another name", `Basic ${bytes(`adele:${secret}`).toString("base64")}`],
  ])("AMP-N63: masks a known secret %s", (_, written) => {
    expect(hide(`before ${written} after`)).toContain(mask);
    const found = JSON.stringify(hide({ note: [`before ${written} after`], [written]: 1 }));
    for (const form of [secret, encodeURIComponent(secret), bytes(secret).toString("base64").slice(4, -4)])
      expect(found).not.toContain(form);
  });

  test("the longer of two secrets is masked first, and texts of a few letters are not masked", () => {
    expect(redact("token-1234567 and token-1234", ["token-1234", "token-1234567", "and"])).toBe(
      `${mask} and ${mask}`,
    );
  });

  test("one long secret alone leaves everything beside it as it is", () => {
    const long = "k3y/+=".repeat(400);
    expect(createRedactor([long])(`before ${long} after`)).toBe(`before ${mask} after`);
  });

  test.each([1_000, 1_001, 16_000, 65_536])(
    "a secret of %i characters, such as the content of a file, is masked in each form, beside short ones",
    (length) => {
      const long = "k3y/+=".repeat(length).slice(0, length);
      const hideBoth = createRedactor([long, "token-1234"]);

      for (const form of [
        long,
        encodeURIComponent(long),
        bytes(long).toString("hex"),
        bytes(long).toString("base64"),
      ])
        expect(hideBoth(`before ${form} and token-1234`)).toMatch(
          /^before \[masked\][\w+/]?={0,2} and \[masked\]$/,
        );
    },
  );

  test("AMP-N63: a secret is masked at any place of any value", () => {
    const text = fc.string({ minLength: 8, maxLength: 40, unit: "binary" });
    const around = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(text, around, around, fc.nat({ max: 3 }), (known, before, after, form) => {
        const forms = [
          known,
          encodeURIComponent(known.toWellFormed()),
          Buffer.from(known).toString("base64"),
          JSON.stringify(known),
        ];
        fc.pre(!before.includes(known) && !mask.includes(known));
        const value: Json = { list: [{ note: `${before} ${forms[form]!} ${after}` }] };
        const [{ note }] = (createRedactor([known])(value) as { list: [{ note: string }] }).list;
        expect(note).toContain(mask);
        expect(note).not.toContain(known);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("truncation", () => {
  test("AMP-N63: keeps 180 characters, and states how many are left out", () => {
    expect(truncateText("x".repeat(180))).toBe("x".repeat(180));
    expect(truncateText("x".repeat(200))).toBe(`${"x".repeat(180)}… [20 more characters]`);
    expect(truncateText("abcdef", 4)).toBe("abcd… [2 more characters]");
  });

  test("never cuts inside a character", () => {
    expect(truncateText("ab😀cd", 3).isWellFormed()).toBe(true);
  });
});

/** A logger that keeps what it is given. */
function keeping(): { logger: Logger; lines: unknown[] } {
  const lines: unknown[] = [];
  const make = (bindings: object): Logger => {
    const keep = (fields: object, message?: string) => void lines.push({ ...bindings, ...fields, message });
    return {
      trace: keep,
      debug: keep,
      info: keep,
      warn: keep,
      error: keep,
      child: (more) => make({ ...bindings, ...more }),
    };
  };
  return { logger: make({}), lines };
}

describe("a redacting logger", () => {
  const secret = "hunter2-hunter2";

  test("AMP-N63: passes on plain copies without secrets: fields, bindings, messages, errors and their causes", () => {
    const { logger, lines } = keeping();
    const err = Object.assign(new Error(`refused ${secret}`, { cause: new TypeError(secret) }), {
      code: "E1",
      token: "t",
    });
    redactingLogger(logger, [secret])
      .child({ Authorization: "Bearer x" })
      .error({ err, at: [secret] }, `no: ${secret}`);

    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(lines).toMatchObject([
      {
        Authorization: mask,
        at: [mask],
        message: `no: ${mask}`,
        err: {
          type: "Error",
          message: `refused ${mask}`,
          stack: expect.stringContaining("redact.test"),
          code: "E1",
          token: mask,
          cause: { type: "TypeError", message: mask },
        },
      },
    ]);
  });

  test("never throws for any logged value", () => {
    const { logger, lines } = keeping();
    const circle: Record<string, unknown> = {
      n: 1n,
      f: () => 1,
      bytes: new Uint8Array(3),
      when: new Date(Number.NaN),
    };
    circle["self"] = circle;
    Object.defineProperty(circle, "trap", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    const refusing = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    const redacting = redactingLogger(logger);
    redacting.info({ circle, refusing });
    redacting.warn(new Error("in place of fields"));

    expect(lines).toMatchObject([
      {
        circle: {
          n: "1",
          f: "[function]",
          bytes: "[3 bytes]",
          when: "[no date]",
          self: "[circular]",
          trap: "[unreadable]",
        },
        refusing: {},
      },
      { err: { message: "in place of fields" } },
    ]);
  });

  test("AMP-N63: is the logger of every host, its tools and its modules", async () => {
    const { logger, lines } = keeping();
    const { host } = world(
      [
        tool((_, context) => {
          context.logger.info({ api_key: "k", url: `https://x/?q=${secret}` }, "asked");
          throw new Error(`could not use ${secret}`);
        }),
      ],
      { logger, secrets: [secret] },
    );
    await host.call({ name: "probe" });
    host.coordinator.logger.warn({ password: "p" }, "careful");

    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(lines).toMatchObject([
      { api_key: mask, url: `https://x/?q=${mask}`, message: "asked" },
      { err: { message: `could not use ${mask}` } },
      { password: mask, message: "careful" },
    ]);
  });
});

test("AMP-N63: a stored approval shows no secret of the host under any name", async () => {
  const store = createMemoryStore();
  const secret = "hunter2-hunter2";
  const { host } = world([tool(() => data(1), { requiresConfirmation: true })], { store, secrets: [secret] });
  await host.call({ name: "probe", arguments: { note: `use ${secret}`, password: "x" } }, { sessionId: "s" });

  const [waiting] = await host.approvals.list();
  expect(waiting).toMatchObject({ arguments: { note: `use ${mask}`, password: mask } });
  expect(JSON.stringify(waiting)).not.toContain(secret);
});

test.each([
  "pass",
  "db_pass",
  "userPwd",
  "bearer",
  "JWT",
  "otp",
  "pin",
  "DATABASE_DSN",
  "ssh_key",
  "sshKey",
  "pem",
])("%s names a secret", (key) => {
  expect(namesSecret(key)).toBe(true);
});

test.each([
  "passenger",
  "bypass",
  "shipping",
  "spinner",
  "footprint",
  "pinned",
  "open",
  "maxTokens",
  "compass",
])("%s names no secret", (key) => {
  expect(namesSecret(key)).toBe(false);
});

test("secrets that become known later are masked from then on, and each of their lines", () => {
  const secrets = createSecretTexts();
  const redactor = createRedactor(secrets);
  expect(redactor("a first-line b")).toBe("a first-line b");
  secrets.add(["first-line\nsecond-line\n"]);

  expect(redactor({ text: "a first-line b", more: ["second-line"] })).toEqual({
    text: "a [masked] b",
    more: ["[masked]"],
  });
});

describe("redaction of arguments as a model wrote them", () => {
  test.each([
    ['{"password":"hunter-2","more":1}', '{"password":"[masked]","more":1}'],
    ['{"password":"hunter-2",}', '{"password":"[masked]",}'],
    ['{"a":{"api_key": "hunter-2"', '{"a":{"api_key": "[masked]"'],
    ['{"credentials":{"user":"hunter-2","code":["hunter-3"]},', '{"credentials":"[masked]"'],
    ['{"list":[{"token":"hunter', '{"list":[{"token":"[masked]"'],
    ["{'password': 'hunter-2'}", "{'password': \"[masked]\"}"],
    ["{password: hunter-2, more: 1}", '{password: "[masked]", more: 1}'],
    ["Authorization: Bearer hunter-2\nmore", 'Authorization: "[masked]"\nmore'],
    ['[{"secret":"hunter-2"}]', '[{"secret":"[masked]"}]'],
    [JSON.stringify('{"secret":"hunter-2"}'), JSON.stringify('{"secret":"[masked]"}')],
    ['{\\"secret\\":\\"hunter-2\\"}', '{\\"secret\\":"[masked]"'],
    ['{"a":1,}', '{"a":1,}'],
    ["plain text", "plain text"],
    ["7", "7"],
  ])("%s becomes %s", (given, shown) => {
    expect(redactArguments(given, createRedactor())).toBe(shown);
  });

  test("wherever the text is cut, no value of a name that names a secret is left", () => {
    const key = fc.constantFrom("password", "API-KEY", "client_secret", "db.token");
    const given = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(given, key, fc.nat(), (object, name, at) => {
        const text = JSON.stringify({ before: object, [name]: "canary-value", after: object });
        const cut = text.slice(0, text.length - (at % text.length));
        expect(redactArguments(cut, createRedactor())).not.toMatch(/canary-v/);
      }),
    );
  });

  test("what the arguments are is neither in the audit nor in a log when they are not valid", async () => {
    const store = createMemoryStore({ audit: "durable" });
    const lines: unknown[] = [];
    const level = (...fields: unknown[]) => void lines.push(fields);
    const logger: Logger = {
      trace: level,
      debug: level,
      info: level,
      warn: level,
      error: level,
      child: () => logger,
    };
    const { host } = world([tool()], { store, logger });
    const outcomes = [];
    for (const text of ['{"password": hunter-2}', "hunter-2", '{"password":"hunter-2",}', '{"x":hunter-2'])
      outcomes.push(await host.call({ name: "probe", arguments: text }, { sessionId: "s" }));

    expect(outcomes.map(({ status }) => status)).toEqual(["invalid", "invalid", "invalid", "invalid"]);
    expect(outcomes[0]!.result.error).toContain("the arguments are not valid JSON: Unexpected token 'h'");
    const kept = JSON.stringify([await store.audit!.read(), lines]);
    expect(kept).toContain("INVALID_ARGUMENTS");
    expect(kept).not.toContain("hunter");
  });
});

test("counts of tokens in a recorded answer are no secrets", () => {
  const usage = {
    input_tokens: 3,
    input_tokens_details: { cached_tokens: 1 },
    output_tokens_details: { reasoning_tokens: 2 },
  };
  expect(redact({ usage, access_token_details: "x" })).toEqual({ usage, access_token_details: "[masked]" });
});

test.each([
  ["lists", (value: Json): Json => [value]],
  ["objects", (value: Json): Json => ({ a: value })],
])("what is below eighty levels of %s is left out, and no depth ends the process", (_, around) => {
  const nest = (levels: number) => {
    let value: Json = "found";
    for (let level = 0; level < levels; level++) value = around(value);
    return value;
  };
  const byValue = createRedactor([]);

  expect(JSON.stringify(byValue(nest(80)))).toContain("found");
  for (const levels of [81, 100_000]) {
    const text = JSON.stringify(byValue(nest(levels)));
    expect(text).toContain("[nested too deep]");
    expect(text).not.toContain("found");
  }
});
