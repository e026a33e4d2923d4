/**
 * The query parameters of a row: what they are, how they are read, and how JSON Schema says it.
 *
 * Unknown parameters are ignored; repeated and empty ones are errors. A fault says what would be
 * right, after the parameter's name, and apart from it what was given.
 *
 * @module
 */
import { Result } from "effect"
import type { ParameterDetail } from "./refusal.ts"

export interface Parameter {
  readonly name: string
  readonly type: "integer" | "number" | "string"
  readonly description: string
  readonly required?: true
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
  readonly values?: ReadonlyArray<string>
  /** It is read as a boolean: `1` is true, any other value false, and so is none. */
  readonly flag?: true
  /** What a string has to match, as JSON Schema spells it. */
  readonly pattern?: string
  /** A value that shows what is meant, where there is no default. */
  readonly example?: string | number
}

/** What parameters are read as: null where an optional one was left out. */
export type InputOf<P extends ReadonlyArray<Parameter>> = {
  readonly [Row in P[number] as Row["name"]]: Value<Row>
}

type Value<Row extends Parameter> = Row extends { readonly flag: true } ? boolean
  : Row extends { readonly values: ReadonlyArray<infer V extends string> } ? V | Absent<Row>
  : (Row["type"] extends "string" ? string : number) | Absent<Row>

type Absent<Row extends Parameter> = Row extends { readonly required: true } ? never
  : Row extends { readonly default: number } ? never
  : null

/** A fault, with the start of the wrong value when there was one. */
export interface ParameterError extends ParameterDetail {
  readonly given?: string
}

/** All faults in one sentence: `count must be an integer from 1 to 20: got "x"`. */
export function sentenceOf(faults: ReadonlyArray<ParameterError>): string {
  return faults.map(({ param, message, given }) =>
    `${param} ${message}${given === undefined ? "" : `: got "${given}"`}`
  ).join("; ")
}

/** Reads `query` by `parameters`: every value, or every fault. */
export function decodeQuery<const P extends ReadonlyArray<Parameter>>(
  parameters: P,
): (query: URLSearchParams) => Result.Result<InputOf<P>, ReadonlyArray<ParameterError>> {
  return (query) => {
    const faults: Array<ParameterError> = []
    const decoded: Record<string, string | number | boolean | null> = {}
    for (const parameter of parameters) {
      const read = readOne(parameter, query.getAll(parameter.name))
      if (Result.isFailure(read)) {
        faults.push({ param: parameter.name, in: "query", ...read.failure })
      } else decoded[parameter.name] = parameter.flag ? read.success === "1" : read.success
    }
    // Built row by row from the same table the type is computed from.
    return faults.length === 0 ? Result.succeed(decoded as InputOf<P>) : Result.fail(faults)
  }
}

const integerPattern = /^\d{1,15}$/
/** No sign, no exponent, no more than six decimals. */
const numberPattern = /^\d{1,12}(?:\.\d{1,6})?$/
/** What of a wrong value is shown back. */
const shownLengthMax = 40

function readOne(
  parameter: Parameter,
  values: ReadonlyArray<string>,
): Result.Result<string | number | null, Pick<ParameterError, "message" | "given">> {
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

/** JSON Schema of one parameter. */
export function parameterSchema(
  { type, description, minimum, maximum, default: fallback, values, pattern }: Parameter,
) {
  return {
    type,
    description,
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(values === undefined ? {} : { enum: [...values] }),
    ...(pattern === undefined ? {} : { pattern }),
  }
}

/** JSON Schema of the parameters as one object. */
export function objectSchema(parameters: ReadonlyArray<Parameter>) {
  const required = parameters.flatMap((row) => row.required === true ? [row.name] : [])
  return {
    type: "object" as const,
    properties: Object.fromEntries(parameters.map((row) => [row.name, parameterSchema(row)])),
    required,
  }
}

/** JSON Schema of the arguments of a tool or skill, where an unknown one is a fault. */
export function argumentsSchema(
  { parameters }: { readonly parameters: ReadonlyArray<Parameter> },
) {
  return { ...objectSchema(parameters), additionalProperties: false as const }
}

/** Parameters of a call that works as it stands. */
export function exampleOf(
  parameters: ReadonlyArray<Parameter>,
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    parameters.flatMap(({ name, default: fallback, example = fallback }) =>
      example === undefined ? [] : [[name, example]]
    ),
  )
}
