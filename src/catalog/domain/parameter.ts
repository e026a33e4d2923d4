/**
 * The query parameters of a row: their definition, their decoding, and their JSON Schema.
 *
 * Repeated and empty parameters are errors. An error names the parameter, the expected value and the
 * value received. A name that no row has is found by `unknownNames`, with the one that was probably meant.
 *
 * @module
 */
import { Result, Struct } from "effect"
import { slugIn } from "../../markets/domain/market.ts"
import { nearest, receivedLengthMax } from "./nearest.ts"
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
  /** Decoded as a boolean: `1` is true, any other value or none is false. */
  readonly flag?: true
  /** The pattern of a string, as in JSON Schema. */
  readonly pattern?: string
  /** What it accepts, in words: `must be` comes before it. */
  readonly form?: string
  /** Takes the address of a market's page too, and is decoded as the slug. Its schema has no pattern. */
  readonly slug?: true
  /** An example value, where there is no default. */
  readonly example?: string | number
}

type More = Omit<Parameter, "name" | "type" | "description">
const parameter =
  <const Type extends Parameter["type"]>(type: Type) =>
  <const Name extends string, const Of extends More>(
    name: Name,
    description: string,
    more: Of,
  ) => ({ name, type, description, ...more })
export const integerParameter = parameter("integer")
export const numberParameter = parameter("number")
export const textParameter = parameter("string")

/** The decoded parameters; null where an optional one is absent. */
export type InputOf<P extends ReadonlyArray<Parameter>> = {
  readonly [Row in P[number] as Row["name"]]: Value<Row>
}

type Value<Row extends Parameter> = Row extends { readonly flag: true } ? boolean
  : Row extends { readonly values: ReadonlyArray<infer V extends string> } ? V | Absent<Row>
  : (Row["type"] extends "string" ? string : number) | Absent<Row>

type Absent<Row extends Parameter> = Row extends { readonly required: true } ? never
  : Row extends { readonly default: number } ? never
  : null

/** A parameter error, with the start of the wrong value when there was one. */
export interface ParameterError extends ParameterDetail {
  readonly received?: string
}

/** All errors in one sentence: `count must be an integer from 1 to 20: got "x"`. */
export function sentenceOf(faults: ReadonlyArray<ParameterError>): string {
  return faults.map(({ param, message, received }) =>
    `${param} ${message}${received === undefined ? "" : `: got "${received}"`}`
  ).join("; ")
}

/** The names among these that are no parameter. An error lists the known ones. */
export function unknownNames(
  parameters: ReadonlyArray<Parameter>,
  names: Iterable<string>,
  where: ParameterDetail["in"],
): ReadonlyArray<ParameterError> {
  const known = parameters.map(({ name }) => name)
  const expected = (name: string) => {
    if (known.length === 0) return "this call has none"
    const meant = nearest(known, name)
    return `use ${known.join(", ")}${meant === null ? "" : `; did you mean ${meant}?`}`
  }
  return [...new Set(names)].filter((name) => !known.includes(name)).map((name) => ({
    param: name.slice(0, receivedLengthMax),
    in: where,
    message: `is not a parameter: ${expected(name)}`,
  }))
}

/** The parameter of every HTTP call that names the version of x402. */
const versionName = "x402Version"

/**
 * Decodes the query of a call over HTTP by its parameters. Returns all values, or all errors; a name
 * that is no parameter is one.
 */
export function queryReader<const P extends ReadonlyArray<Parameter>>(
  parameters: P,
): (query: URLSearchParams) => Result.Result<InputOf<P>, ReadonlyArray<ParameterError>> {
  return (query) => {
    const names = [...query.keys()].filter((name) => name !== versionName)
    const unknown = unknownNames(parameters, names, "query")
    if (unknown.length > 0) return Result.fail(unknown)
    const faults: Array<ParameterError> = []
    const decoded: Record<string, string | number | boolean | null> = {}
    for (const parameter of parameters) {
      const read = readOne(parameter, query.getAll(parameter.name))
      if (Result.isFailure(read)) {
        faults.push({ param: parameter.name, in: "query", ...read.failure })
      } else decoded[parameter.name] = parameter.flag ? read.success === "1" : read.success
    }
    // `decoded` is built from the same table as the type.
    return faults.length === 0 ? Result.succeed(decoded as InputOf<P>) : Result.fail(faults)
  }
}

const integerPattern = /^\d{1,15}$/
/** No sign, no exponent, at most six decimals. */
const numberPattern = /^\d{1,12}(?:\.\d{1,6})?$/

function readOne(
  parameter: Parameter,
  values: ReadonlyArray<string>,
): Result.Result<string | number | null, Pick<ParameterError, "message" | "received">> {
  const [value] = values
  if (value === undefined) {
    return parameter.required === true
      ? Result.fail({ message: `${expectation(parameter)}: it is missing` })
      : Result.succeed(parameter.default ?? null)
  }
  if (values.length > 1) return Result.fail({ message: "must be given at most once" })
  const received = value.slice(0, receivedLengthMax)
  const wrong = Result.fail({ message: expectation(parameter), received })
  if (parameter.type === "string") {
    if (parameter.slug === true) {
      const slug = slugIn(value)
      return slug === null ? wrong : Result.succeed(slug)
    }
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

function expectation({ type, values, form, minimum, maximum }: Parameter): string {
  if (values !== undefined) return `must be one of ${values.join(", ")}`
  if (form !== undefined) return `must be ${form}`
  if (type === "string") return "must not be empty"
  if (type === "number") {
    return `must be a number of at least ${minimum ?? 0}, without sign, up to six decimals`
  }
  if (minimum !== undefined && maximum !== undefined) {
    return `must be an integer from ${minimum} to ${maximum}`
  }
  return `must be an integer of at least ${minimum ?? 0}, up to 15 digits`
}

/** What a parameter and its JSON Schema have in common. */
const schemaKeys = ["type", "description", "minimum", "maximum", "default", "pattern"] as const

/** The JSON Schema of one parameter. */
export const parameterSchema = (parameter: Parameter) => ({
  ...Struct.pick(parameter, schemaKeys),
  ...(parameter.values === undefined ? {} : { enum: [...parameter.values] }),
})

const objectOf = <S>(
  rows: ReadonlyArray<Parameter>,
  schemaOf: (row: Parameter) => S,
) => ({
  type: "object" as const,
  properties: Object.fromEntries(rows.map((row) => [row.name, schemaOf(row)])),
  required: rows.flatMap(({ name, required }) => required === true ? [name] : []),
})

/** The JSON Schema of the parameters as one object. */
export const objectSchema = (rows: ReadonlyArray<Parameter>) => objectOf(rows, parameterSchema)

/** That of the arguments of a tool or skill: an unknown one is an error, and a flag is a boolean. */
export const argumentsSchema = ({ parameters }: { parameters: ReadonlyArray<Parameter> }) => ({
  ...objectOf(
    parameters,
    (row) =>
      row.flag === true
        ? { type: "boolean", description: row.description, default: false }
        : parameterSchema(row),
  ),
  additionalProperties: false as const,
})

/** The text of an argument in a query; null when it has none. */
export function argumentText(parameter: Parameter, value: unknown): string | null {
  if (parameter.flag === true) {
    if (value === true || value === "true") return "1"
    if (value === false || value === "false") return "0"
  }
  return typeof value === "string" || Number.isFinite(value) ? String(value) : null
}

/** Example parameters of a call that works. */
export function exampleOf(
  parameters: ReadonlyArray<Parameter>,
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    parameters.flatMap(({ name, default: fallback, example = fallback }) =>
      example === undefined ? [] : [[name, example]]
    ),
  )
}

/** The example call of a row: its path and the parameters that have an example or a default. */
export function exampleCall(
  { path, parameters }: {
    readonly path: string
    readonly parameters: ReadonlyArray<Parameter>
  },
): string {
  const query = new URLSearchParams(
    Object.entries(exampleOf(parameters)).map(([name, value]) => [name, String(value)]),
  ).toString()
  return query === "" ? path : `${path}?${query}`
}

/** The type and the limits of a parameter, in words. */
export function limitsOf(
  { type, required, minimum, maximum, default: fallback, values, pattern }: Parameter,
): string {
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
  ].filter((part) => part !== null).join(", ")
}
