import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { createHost, data } from "../../src/index.ts";
import { tool } from "../world.ts";

const schema = z.strictObject({
  operation: z.enum(["add", "subtract"]),
  left: z.number().min(0),
  list: z.array(z.object({ id: z.string().max(3), on: z.boolean().default(true) })).optional(),
});

const member = fc.oneof(
  fc.double(),
  fc.string({ maxLength: 4 }),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
);
const given = fc.record(
  {
    operation: fc.oneof(fc.constantFrom("add", "subtract"), member),
    left: fc.oneof(fc.nat(), member),
    list: fc.oneof(
      fc.array(fc.record({ id: fc.oneof(fc.constant("ab"), member), on: member }, { requiredKeys: [] }), {
        maxLength: 3,
      }),
      member,
    ),
    more: member,
  },
  { requiredKeys: [] },
);

function hostWith(one: typeof schema) {
  const host = createHost();
  host.coordinator.mount(
    "tools",
    tool((params) => data(params), { schema: one }),
  );
  return host;
}

test("a tool whose schema was compiled by Zod answers like the same tool without that", async () => {
  const [plain, compiled] = [hostWith(schema), hostWith(z.compile(schema, { strict: true }))];
  expect(compiled.tools()[0]!.inputSchema).toEqual(plain.tools()[0]!.inputSchema);
  await fc.assert(
    fc.asyncProperty(given, async (args) => {
      const answers = [plain, compiled].map((host) => host.call({ name: "probe", arguments: args }));
      const [one, other] = (await Promise.all(answers)).map(
        ({ status, result: { fetchedAt: _, ...result } }) => ({
          status,
          result,
        }),
      );
      expect(other).toEqual(one);
    }),
  );
});
