// The build keeps this file apart, so that Ajv is loaded only when the first JSON Schema is compiled.
export { _, Ajv } from "ajv";
export { Ajv2019 } from "ajv/dist/2019.js";
export { Ajv2020 } from "ajv/dist/2020.js";
