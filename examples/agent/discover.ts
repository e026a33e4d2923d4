/**
 * Discovery: the agent reads /llms.txt (or the A2A agent card), follows its link to /openapi.json,
 * and reads there which paths exist and what a call of each costs.
 *
 * @module
 */
import { Effect, Option, Result, Schema } from "effect"
import { atomic, usd } from "./budget.ts"
import { CannotContinue, plain, type Print, requestWithRetry } from "./http.ts"

/** One path that can be called, with its price. */
export interface Offer {
  readonly path: string
  readonly description: string
  /** Null when it is free. */
  readonly price: bigint | null
  /** The largest `count` of one call. */
  readonly countMax: number | null
}

export interface Contract {
  readonly title: string
  readonly version: string
  readonly offers: ReadonlyArray<Offer>
}

/** The service contradicts itself: a price, a receiver or a receipt differs from what it said. */
export class Mismatch extends Schema.TaggedError<Mismatch>()("Mismatch", {
  message: Schema.String,
}) {}

interface Link {
  readonly url: string
  /** The text after the link in /llms.txt; for a paid path it begins with the price. */
  readonly note: string | null
}

/** Reads the start document, follows its link to the contract, and prints the offers. */
export const discover = Effect.fnUntraced(
  function* (base: URL, start: "llms" | "card", print: Print) {
    const links = yield* start === "llms" ? linksOfLlms(base, print) : linksOfCard(base, print)
    const linked = links.map(({ url }) => sameOriginUrl(base, url))
      .find((url) => url?.pathname.endsWith("/openapi.json") === true)
    const url = linked ?? new URL("/openapi.json", base)
    if (url !== linked) yield* print("no link to a contract; trying /openapi.json")
    yield* print(`reading    ${url.href}`)
    const { status, body } = yield* requestWithRetry(url, print)
    if (status !== 200) {
      return yield* new CannotContinue({ message: `${url.href} returned ${status}: no prices` })
    }
    const contract = yield* Effect.fromResult(readContract(body))
    const conflict = findPriceConflict(contract, links)
    if (conflict !== null) {
      return yield* new Mismatch({
        message:
          `${conflict.path} costs $${conflict.linked} in one document and ${conflict.price} in another`,
      })
    }
    yield* print(`contract   ${plain(contract.title, 160)} ${plain(contract.version, 20)}`)
    for (const { path, price, description } of contract.offers) {
      const cost = price === null ? "free" : `$${usd(price)}`
      yield* print(`  ${cost.padEnd(6)} ${plain(path, 160)}: ${plain(description, 110)}`)
    }
    return contract
  },
)

/** The offer at a path; undefined when the service has none. */
export function offerAt({ offers }: Contract, path: string): Offer | undefined {
  return offers.find((offer) => offer.path === path)
}

const linksMax = 1_000
const linkPattern = /^- *\[[^\]\n]+\]\(([^)\s]+)\)(?:: *(.*))?$/gm

const linksOfLlms = Effect.fnUntraced(function* (base: URL, print: Print) {
  const url = new URL("/llms.txt", base)
  yield* print(`reading    ${url.href}`)
  const { status, text } = yield* requestWithRetry(url, print)
  if (status !== 200) {
    yield* print(`  not available (status ${status})`)
    return []
  }
  const [head = ""] = text.split(/^## /m, 1)
  const [title = "", summary = "", ...details] = head.split("\n")
    .map((line) => line.replace(/^[#>] /, "").trim()).filter((line) => line !== "")
  yield* print(`service    ${plain(title, 160)}: ${plain(summary, 200)}`)
  for (const line of details.slice(0, 8)) yield* print(`  ${plain(line, 160)}`)
  return [...text.matchAll(linkPattern)].slice(0, linksMax)
    .map(([, url = "", note = null]): Link => ({ url, note }))
})

const Card = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  url: Schema.String,
  protocolVersion: Schema.String,
  documentationUrl: Schema.optionalKey(Schema.String),
  skills: Schema.Array(Schema.Struct({ id: Schema.String, description: Schema.String })),
})

const linksOfCard = Effect.fnUntraced(function* (base: URL, print: Print) {
  const url = new URL("/.well-known/agent-card.json", base)
  yield* print(`reading    ${url.href}`)
  const { status, body } = yield* requestWithRetry(url, print)
  const card = Option.getOrNull(Schema.decodeUnknownOption(Card)(body))
  if (status !== 200 || card === null) {
    yield* print(`  no valid agent card (status ${status})`)
    return []
  }
  yield* print(`agent      ${plain(card.name, 160)}: ${plain(card.description, 200)}`)
  yield* print(`           A2A ${plain(card.protocolVersion, 20)} at ${plain(card.url, 160)}`)
  for (const { id, description } of card.skills) {
    yield* print(`  ${plain(id, 40)}: ${plain(description, 110)}`)
  }
  const documentation = sameOriginUrl(base, card.documentationUrl ?? "")
  if (documentation === null) return []
  yield* print(`reading    ${documentation.href}`)
  const { text } = yield* requestWithRetry(documentation, print)
  return (text.match(/https?:\/\/[^\s)>\]"'`]{1,500}/g) ?? [])
    .map((url): Link => ({ url, note: null }))
})

/** The address if it has the service's own origin, else null: the agent calls no other server. */
function sameOriginUrl(base: URL, address: string): URL | null {
  const url = URL.parse(address, base)
  return url?.origin === base.origin ? url : null
}

/** A price in any other form is refused. */
const FixedPrice = Schema.Struct({
  mode: Schema.Literal("fixed"),
  currency: Schema.Literal("USD"),
  amount: Schema.String.check(Schema.isPattern(/^\d{1,9}(\.\d{1,6})?$/)),
})
const Parameter = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  schema: Schema.optionalKey(Schema.Struct({ maximum: Schema.optionalKey(Schema.Finite) })),
})
const Operation = Schema.Struct({
  summary: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  parameters: Schema.optionalKey(Schema.Array(Parameter)),
  "x-payment-info": Schema.optionalKey(Schema.Struct({ price: FixedPrice })),
})
/** The fields of /openapi.json that the agent reads. */
const OpenApi = Schema.Struct({
  info: Schema.Struct({ title: Schema.String, version: Schema.String }),
  paths: Schema.Record(Schema.String, Schema.Struct({ get: Schema.optionalKey(Operation) })),
})

/** The offers of a contract. */
export function readContract(json: unknown): Result.Result<Contract, CannotContinue> {
  return Result.mapBoth(Schema.decodeUnknownResult(OpenApi)(json), {
    onFailure: ({ message }) =>
      new CannotContinue({ message: `The contract cannot be read: ${message}` }),
    onSuccess: ({ info, paths }) => ({
      title: info.title,
      version: info.version,
      offers: Object.entries(paths).flatMap(([path, { get }]) => {
        if (get === undefined) return []
        const count = get.parameters?.find(({ name }) => name === "count")
        const price = get["x-payment-info"]?.price.amount
        return [{
          path,
          description: get.summary ?? get.description ?? "",
          price: price === undefined ? null : atomic(price),
          countMax: count?.schema?.maximum ?? null,
        }]
      }),
    }),
  })
}

/** The first link with another price than the contract; null when there is none. */
export function findPriceConflict({ offers }: Contract, links: ReadonlyArray<Link>) {
  for (const { url, note } of links) {
    const linked = /^\$(\d{1,9}(?:\.\d{1,6})?)(?![\d])/.exec(note ?? "")?.[1]
    const pathname = URL.parse(url)?.pathname
    const offer = offers.find(({ path }) => path === pathname)
    if (linked === undefined || offer === undefined || atomic(linked) === offer.price) continue
    return {
      path: offer.path,
      linked,
      price: offer.price === null ? "nothing" : `$${usd(offer.price)}`,
    }
  }
  return null
}
