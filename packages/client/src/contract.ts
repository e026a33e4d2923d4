/**
 * The contract of the service: the bodies of its answers, and the table of its calls. In this
 * repository it is the catalog itself. In the package it is plain data and plain types, which
 * `deno task pack` writes in place of this file.
 *
 * @module
 */
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import {
  type Parameter as ParameterRow,
  parameterSchema,
} from "../../../src/catalog/domain/parameter.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { type Skill, skills } from "../../../src/catalog/domain/skill.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { slugOrPagePattern } from "../../../src/markets/domain/market.ts"
import type { PaymentBody as Payment } from "../../../src/http/paywall/paymentStatus.ts"
import type { CallRow } from "./call.ts"

type FreeRows = typeof freeRows
type JsonRows = {
  [Id in keyof FreeRows as FreeRows[Id] extends { isText: true } ? never : Id]: FreeRows[Id]
}
type Rows = JsonRows & typeof products
type RowsByName = { readonly [Id in keyof Rows as `get_${Id}`]: Rows[Id] }

type Value<Row extends ParameterRow> = Row extends { readonly flag: true } ? boolean
  : Row extends { readonly values: ReadonlyArray<infer V extends string> } ? V
  : Row["type"] extends "string" ? string
  : number
type Required<Row extends ParameterRow> = Row extends { readonly required: true } ? Row : never

type Arguments<Row extends ParameterRow> =
  & { readonly [One in Required<Row> as One["name"]]: Value<One> }
  & { readonly [One in Exclude<Row, Required<Row>> as One["name"]]?: Value<One> }

export type CallName = keyof RowsByName
export type BodyOf<Name extends CallName> = RowsByName[Name]["body"]["Encoded"]
type ParametersByName = {
  readonly [Name in CallName]: RowsByName[Name] extends
    { readonly parameters: ReadonlyArray<infer Row extends ParameterRow> } ? Arguments<Row>
    : Readonly<Record<never, never>>
}
export type ParametersOf<Name extends CallName> = ParametersByName[Name]
export type FeedItem = BodyOf<"get_signals">["data"][number]
export type PaymentBody = typeof Payment["Encoded"]

const callOf = (skill: Skill): CallRow => ({
  path: skill.path,
  priceUsd: skill.kind === "paid" ? usd(skill.product.price) : null,
  title: skill.title,
  description: skill.description,
  parameters: skill.parameters.map((parameter) => ({
    name: parameter.name,
    required: parameter.required === true,
    ...parameterSchema(parameter),
    ...(parameter.flag === true ? { flag: true } : {}),
    ...(parameter.slug === true ? { pattern: slugOrPagePattern } : {}),
    ...(parameter.form === undefined ? {} : { form: parameter.form }),
  })),
})

/** Every call by its name, which is also the name of its tool over MCP and its skill over A2A. */
export const calls = Object.fromEntries(
  skills.map((skill) => [skill.name, callOf(skill)]),
) as Readonly<Record<CallName, CallRow>>
