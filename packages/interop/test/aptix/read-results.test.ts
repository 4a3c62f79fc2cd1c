import { ContractBreach } from "@toolmount/core/internal";
import { expect, test } from "vitest";
import { fromInvokeResult } from "../../src/aptix/invoke-result.ts";

const ok = { Successful: true, Result: '{"a":1}', Errors: [], Warnings: [] };
const failed = { Successful: false, Result: null, Errors: [], Warnings: [] };

test.each<[string, object, object]>([
  ["a payload", ok, { data: { a: 1 } }],
  ["a payload that is a number", { ...ok, Result: "7" }, { data: 7 }],
  ["no payload", { ...ok, Result: null }, { data: null }],
  ["a payload that is missing", { Successful: true }, { data: null }],
  [
    "warnings",
    { ...ok, Warnings: [{ Message: "slow" }, { Message: "old" }] },
    { data: { a: 1 }, warnings: ["slow", "old"] },
  ],
  ["lists that are null", { ...ok, Errors: null, Warnings: null }, { data: { a: 1 } }],
  ["a failure without words", failed, { error: "look failed" }],
  ["a failure with a blank message", { ...failed, ErrorMessage: "  " }, { error: "look failed" }],
  ["a failure with a message", { ...failed, ErrorMessage: " no disk " }, { error: "no disk" }],
  ["a failure whose message is no text", { ...failed, ErrorMessage: 7 }, { error: "look failed" }],
  [
    "errors",
    { ...failed, Errors: [{ Message: "a" }, { Message: "b", ErrorCode: "DISK_FULL" }] },
    {
      error: "a; b",
      code: "DISK_FULL",
      details: {
        Errors: [
          { Message: "a", ErrorCode: null },
          { Message: "b", ErrorCode: "DISK_FULL" },
        ],
      },
    },
  ],
  [
    "errors beside a message, with warnings",
    { ...failed, ErrorMessage: "no", Errors: [{ Message: "a" }], Warnings: [{ Message: "w" }] },
    { error: "no", warnings: ["w"], details: { Errors: [{ Message: "a", ErrorCode: null }] } },
  ],
  ...["DENIED", "disk_full", "1A", "", 7].map((ErrorCode): [string, object, object] => [
    `the code ${JSON.stringify(ErrorCode)}, which a tool may not end with`,
    { ...failed, Errors: [{ Message: "a", ErrorCode }] },
    { error: "a", details: { Errors: [{ Message: "a", ErrorCode }] } },
  ]),
])("an envelope with %s is read", (_, envelope, result) => {
  expect({ ...fromInvokeResult("look", envelope) }).toEqual(result);
});

test.each<[unknown, string]>([
  ["text", "an Aptix tool answers with an InvokeResult"],
  [null, "an Aptix tool answers with an InvokeResult"],
  [[], "an Aptix tool answers with an InvokeResult"],
  [{}, "Successful of an InvokeResult is true or false"],
  [{ ...ok, Successful: "yes" }, "Successful of an InvokeResult is true or false"],
  [{ ...ok, Errors: "no" }, "Errors of an InvokeResult is a list of { Message, ErrorCode }"],
  [{ ...ok, Errors: [{}] }, "Errors of an InvokeResult is a list of { Message, ErrorCode }"],
  [{ ...ok, Errors: ["no"] }, "Errors of an InvokeResult is a list of { Message, ErrorCode }"],
  [{ ...failed, Warnings: [7] }, "Warnings of an InvokeResult is a list of { Message, ErrorCode }"],
  [{ ...ok, Errors: [{ Message: "a" }] }, "a successful InvokeResult has no Errors"],
  [{ ...ok, Result: { a: 1 } }, "Result of an InvokeResult is a JSON text"],
  [{ ...ok, Result: "{oops" }, "Result of an InvokeResult is not valid JSON"],
])("the envelope %j is refused: %s", (envelope, message) => {
  const read = () => fromInvokeResult("look", envelope);

  expect(read).toThrow(ContractBreach);
  expect(read).toThrow(expect.objectContaining({ message }));
});
