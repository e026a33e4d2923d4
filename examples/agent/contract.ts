/**
 * What an agent takes from /openapi.json: which paths there are, and what a call of each costs.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { atomic, type AtomicAmount, usd } from "../../src/core/domain/money.ts"
import type { Link } from "./llms.ts"

/** One path that can be asked. */
export interface Offer {
  readonly path: string
  readonly says: string
  /** Null: it costs nothing. */
  readonly price: AtomicAmount | null
  /** The largest value of each query parameter that has one. */
  readonly maxima: ReadonlyMap<string, number>
}

export interface Contract {
  readonly title: string
  readonly version: string
  readonly offers: ReadonlyArray<Offer>
}

/** The document is not one an agent can buy by. */
export class NotContract extends Schema.TaggedError<NotContract>()("NotContract", {
  message: Schema.String,
}) {}

/** Whole dollars up to nine digits, and no more decimals than the token has. */
const Usd = Schema.String.check(Schema.isPattern(/^\d{1,9}(\.\d{1,6})?$/))

const Operation = Schema.Struct({
  summary: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  parameters: Schema.optionalKey(Schema.Array(Schema.Struct({
    name: Schema.optionalKey(Schema.String),
    schema: Schema.optionalKey(Schema.Struct({ maximum: Schema.optionalKey(Schema.Finite) })),
  }))),
  "x-payment-info": Schema.optionalKey(Schema.Struct({
    price: Schema.Struct({
      mode: Schema.Literal("fixed"),
      currency: Schema.Literal("USD"),
      amount: Usd,
    }),
  })),
})

const Document = Schema.Struct({
  info: Schema.Struct({ title: Schema.String, version: Schema.String }),
  paths: Schema.Record(Schema.String, Schema.Struct({ get: Schema.optionalKey(Operation) })),
})

const decode = Schema.decodeUnknownResult(Document)

/** Reads the offers; a price in another form than fixed USD is no price to buy by. */
export function readContract(json: unknown): Result.Result<Contract, NotContract> {
  return Result.mapBoth(decode(json), {
    onFailure: ({ message }) =>
      new NotContract({ message: `The contract cannot be read: ${message}` }),
    onSuccess: ({ info, paths }) => ({
      title: info.title,
      version: info.version,
      offers: Object.entries(paths).flatMap(([path, { get }]) =>
        get === undefined ? [] : [offerOf(path, get)]
      ),
    }),
  })
}

function offerOf(path: string, operation: typeof Operation.Type): Offer {
  const { summary, description, parameters = [], "x-payment-info": payment } = operation
  return {
    path,
    says: summary ?? description ?? "",
    price: payment === undefined ? null : atomic(payment.price.amount as `${number}`),
    maxima: new Map(
      parameters.flatMap(({ name, schema }) =>
        name === undefined || schema?.maximum === undefined ? [] : [[name, schema.maximum]]
      ),
    ),
  }
}

/** The offer at a path; undefined when the service has none. */
export function offerAt(contract: Contract, path: string): Offer | undefined {
  return contract.offers.find((offer) => offer.path === path)
}

/** The first link that calls a path of the contract another price than it has; null when there is none. */
export function contradiction(
  { offers }: Contract,
  links: ReadonlyArray<Link>,
): { readonly path: string; readonly said: string; readonly price: string } | null {
  for (const { url, note } of links) {
    const said = /^\$(\d{1,9}(?:\.\d{1,6})?)(?![\d])/.exec(note ?? "")?.[1]
    const offer = offers.find(({ path }) => path === URL.parse(url)?.pathname)
    if (said === undefined || offer === undefined) continue
    if (atomic(said as `${number}`) === offer.price) continue
    return { path: offer.path, said, price: offer.price === null ? "nothing" : usd(offer.price) }
  }
  return null
}
