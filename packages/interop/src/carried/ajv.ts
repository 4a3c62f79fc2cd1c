// A separate file, which the build keeps apart, so that it is loaded only with the first plain schema.
export { _, Ajv } from "ajv";
export { Ajv2019 } from "ajv/dist/2019.js";
export { Ajv2020 } from "ajv/dist/2020.js";
