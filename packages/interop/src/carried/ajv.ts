// In its own file, which the build keeps apart: the first plain schema loads it.
export { _, Ajv } from "ajv";
export { Ajv2019 } from "ajv/dist/2019.js";
export { Ajv2020 } from "ajv/dist/2020.js";
