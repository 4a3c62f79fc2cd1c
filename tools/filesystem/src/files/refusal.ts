import { failure, type JsonObject, type PartialResult } from "@toolmount/core";

/** A refusal that a tool makes itself; thrown to leave nested work at once, and turned into its failure. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: string;
  readonly details: JsonObject;

  constructor(message: string, code: string, details: JsonObject = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** What the model is told. */
  toAnswer(): PartialResult<never> {
    return failure(this.message, { code: this.code, details: this.details });
  }
}
