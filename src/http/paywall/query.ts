/**
 * Query parameters, read by the table of what is sold.
 *
 * Unknown parameters are ignored; repeated and empty ones are errors. A fault says what would be
 * right, after the parameter's name, and apart from it what was given.
 *
 * @module
 */
import { Result } from "effect"
import type { Parameter } from "../../catalog/domain/product.ts"
import type { ParameterFault } from "../../catalog/domain/refusal.ts"

const integerPattern = /^\d{1,15}$/
/** No sign, no exponent, no more than six decimals. */
const numberPattern = /^\d{1,12}(?:\.\d{1,6})?$/
/** What of a wrong value is shown back. */
const shownLengthMax = 40

/** A fault, with the start of the wrong value when there was one. */
export interface GivenFault extends ParameterFault {
  readonly given?: string
}

/** All faults in one sentence: `count must be an integer from 1 to 20: got "x"`. */
export function sentenceOf(faults: ReadonlyArray<GivenFault>): string {
  return faults.map(({ param, message, given }) =>
    `${param} ${message}${given === undefined ? "" : `: got "${given}"`}`
  ).join("; ")
}

/** What a table of parameters decodes to: null where an optional one was left out. */
export type Decoded<P extends ReadonlyArray<Parameter>> = {
  readonly [Row in P[number] as Row["name"]]: Value<Row>
}

type Value<Row extends Parameter> = Row extends
  { readonly values: ReadonlyArray<infer V extends string> } ? V | Absent<Row>
  : (Row["type"] extends "string" ? string : number) | Absent<Row>

type Absent<Row extends Parameter> = Row extends { readonly required: true } ? never
  : Row extends { readonly default: number } ? never
  : null

/** Reads `query` by `parameters`: every value, or every fault. */
export function decodeQuery<const P extends ReadonlyArray<Parameter>>(
  parameters: P,
): (query: URLSearchParams) => Result.Result<Decoded<P>, ReadonlyArray<GivenFault>> {
  return (query) => {
    const faults: Array<GivenFault> = []
    const decoded: Record<string, string | number | null> = {}
    for (const parameter of parameters) {
      const read = readOne(parameter, query.getAll(parameter.name))
      if (Result.isSuccess(read)) decoded[parameter.name] = read.success
      else faults.push({ param: parameter.name, in: "query", ...read.failure })
    }
    // Built row by row from the same table the type is computed from.
    return faults.length === 0 ? Result.succeed(decoded as Decoded<P>) : Result.fail(faults)
  }
}

function readOne(
  parameter: Parameter,
  values: ReadonlyArray<string>,
): Result.Result<string | number | null, Pick<GivenFault, "message" | "given">> {
  const [value] = values
  if (value === undefined) {
    return parameter.required === true
      ? Result.fail({ message: `${expectation(parameter)}: it is missing` })
      : Result.succeed(parameter.default ?? null)
  }
  if (values.length > 1) return Result.fail({ message: "must be given at most once" })
  const given = value.slice(0, shownLengthMax)
  const wrong = Result.fail({ message: expectation(parameter), given })
  if (parameter.type === "string") {
    const { values, pattern } = parameter
    const fits = value !== "" && values?.includes(value) !== false &&
      (pattern === undefined || new RegExp(pattern).test(value))
    return fits ? Result.succeed(value) : wrong
  }
  if (!(parameter.type === "integer" ? integerPattern : numberPattern).test(value)) return wrong
  const number = Number(value)
  const { minimum = 0, maximum = Infinity } = parameter
  return number < minimum || number > maximum ? wrong : Result.succeed(number)
}

function expectation({ type, values, pattern, minimum, maximum }: Parameter): string {
  if (values !== undefined) return `must be one of ${values.join(", ")}`
  if (pattern !== undefined) return `must match ${pattern}`
  if (type === "string") return "must not be empty"
  if (type === "number") {
    return `must be a number of at least ${minimum ?? 0}, without sign, up to six decimals`
  }
  if (minimum !== undefined && maximum !== undefined) {
    return `must be an integer from ${minimum} to ${maximum}`
  }
  return `must be an integer of at least ${minimum ?? 0}, up to 15 digits`
}
