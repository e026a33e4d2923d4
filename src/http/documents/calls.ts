/**
 * Calls as documents write them down: the path with the query of an example, and each parameter with
 * its bounds.
 *
 * @module
 */
import { exampleOf, type Parameter } from "../../catalog/domain/parameter.ts"

interface Callable {
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
}

/** The example call of a row: its path with the parameters that have an example or a default. */
export function exampleCall({ path, parameters }: Callable): string {
  const query = new URLSearchParams(
    Object.entries(exampleOf(parameters)).map(([name, value]) => [name, String(value)]),
  ).toString()
  return query === "" ? path : `${path}?${query}`
}

/** A parameter in a few words: `count (integer, 1 to 20, default 10)`. */
export function parameterLine(parameter: Parameter): string {
  return `${parameter.name} (${limitsOf(parameter).join(", ")})`
}

function limitsOf(
  { type, required, minimum, maximum, default: fallback, values, pattern }: Parameter,
): ReadonlyArray<string> {
  const bounds = minimum !== undefined && maximum !== undefined
    ? `${minimum} to ${maximum}`
    : minimum !== undefined
    ? `at least ${minimum}`
    : null
  return [
    type,
    required === true ? "required" : null,
    bounds,
    fallback === undefined ? null : `default ${fallback}`,
    values === undefined ? null : `one of ${values.join(", ")}`,
    pattern === undefined ? null : `matches ${pattern}`,
  ].filter((part) => part !== null)
}
