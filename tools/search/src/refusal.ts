import { failure, type JsonObject, type PartialResult } from "@toolmount/core";

/** An error by which a tool refuses a call. It is thrown out of inner work and becomes the tool's failure. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: string;
  readonly details: JsonObject;

  constructor(message: string, code: string, details: JsonObject = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** Returns the failure for the model. */
  toAnswer(): PartialResult<never> {
    return failure(this.message, { code: this.code, details: this.details });
  }
}
