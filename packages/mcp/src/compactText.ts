/**
 * How a long answer is written for a model: as /mcp writes it. `deno task pack` puts the file in the
 * place of this one.
 *
 * @module
 */
export { compactText } from "../../../src/catalog/domain/compactText.ts"
