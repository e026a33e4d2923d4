/**
 * The address of a call: its parameters are checked against the contract, and written in the order of
 * the contract, so that the same call always has the same address.
 *
 * @module
 */
import type { CallRow, Parameter } from "./call.ts"
import { nearest } from "./nearest.ts"
import { plain } from "./text.ts"

/** The address of a call, or a sentence that says which parameter is wrong. */
export function addressOf(row: CallRow, parameters: object, baseUrl: URL): URL | string {
  const given = new Map(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null),
  )
  const unknown = [...given.keys()].find((name) => row.parameters.every((one) => one.name !== name))
  if (unknown !== undefined) return noParameter(row, unknown)
  const url = new URL(row.path, baseUrl)
  for (const parameter of row.parameters) {
    const value = textOf(parameter, given.get(parameter.name))
    if (value === null && parameter.required) return `${parameter.name} is missing`
    if (value === null) continue
    const wrong = wrongValue(parameter, value)
    if (wrong !== null) return `${parameter.name} must be ${wrong}, not ${plain(value, 40)}`
    const sent = shortest(parameter, value)
    if (sent !== null) url.searchParams.set(parameter.name, sent)
  }
  return url
}

/** Which parameters the call has, and the one that was probably meant. */
function noParameter({ parameters }: CallRow, unknown: string): string {
  const names = parameters.map(({ name }) => name)
  const meant = nearest(names, unknown)
  return `there is no parameter ${plain(unknown, 40)}: ${
    names.length === 0 ? "this call has none" : `use ${names.join(", ")}`
  }${meant === null ? "" : `; the nearest is ${meant}`}`
}

/** A value as it is sent; null when it is not sent. */
function textOf({ flag }: Parameter, value: unknown): string | null {
  if (value === undefined) return null
  if (flag !== true) return shownWhole(value)
  if (value === true || value === "1" || value === 1) return "1"
  return value === false || value === "0" || value === 0 ? null : shownWhole(value)
}

/** A value as text; a list or an object as JSON, which no parameter accepts. */
function shownWhole(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** A valid value in its one spelling; null when it is the default and need not be sent. */
function shortest({ name, type, default: standard }: Parameter, value: string): string | null {
  if (type === "string") return name === "market" ? value.toLowerCase() : value
  const number = Number(value)
  return number === standard ? null : String(number)
}

/** What a value must be; null when it is. */
function wrongValue(parameter: Parameter, value: string): string | null {
  const { type, minimum = 0, maximum = Infinity, pattern, form, enum: values, flag } = parameter
  if (flag === true) return value === "1" ? null : "true or false"
  if (values !== undefined) return values.includes(value) ? null : `one of ${values.join(", ")}`
  if (type === "string") {
    const fits = value !== "" &&
      (pattern === undefined ||
        new RegExp(pattern, parameter.name === "market" ? "i" : "").test(value))
    return fits ? null : form ?? "some text"
  }
  const isInteger = type === "integer"
  const isNumber = (isInteger ? /^\d{1,15}$/ : /^\d{1,12}(\.\d{1,6})?$/).test(value)
  const number = Number(value)
  if (isNumber && number >= minimum && number <= maximum) return null
  const range = maximum === Infinity ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  return `${isInteger ? "a whole number" : "a number"} ${range}`
}
