/**
 * The name that was probably meant by a misspelt one, as the service's errors name it. `deno task pack`
 * puts the file in the place of this one.
 *
 * @module
 */
export { nearest } from "../../../src/catalog/domain/nearest.ts"
