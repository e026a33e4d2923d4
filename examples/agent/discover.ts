/**
 * From a base address to a contract: the agent reads /llms.txt (or the A2A agent card), follows it
 * to /openapi.json, and takes from there which paths exist and what a call of each costs.
 *
 * @module
 */
import { Effect, Option, Result, Schema } from "effect"
import { atomic, usd } from "./budget.ts"
import { askPatiently, GaveUp, plain, type Say } from "./http.ts"

/** One path that can be called. */
export interface Offer {
  readonly path: string
  readonly says: string
  /** Null: it is free. */
  readonly price: bigint | null
  /** The largest `count` that a call may ask for. */
  readonly countMax: number | null
}

export interface Contract {
  readonly title: string
  readonly version: string
  readonly offers: ReadonlyArray<Offer>
}

/** Two things that should be the same are not. */
export class Distrust extends Schema.TaggedError<Distrust>()("Distrust", {
  message: Schema.String,
}) {}

interface Link {
  readonly url: string
  /** What /llms.txt says of it: of a paid path, first its price. */
  readonly note: string | null
}

/** Reads the start document, follows it to the contract, and says what there is. */
export const discover = Effect.fnUntraced(function* (base: URL, start: "llms" | "card", say: Say) {
  const links = yield* start === "llms" ? linksOfLlms(base, say) : linksOfCard(base, say)
  const linked = links.map(({ url }) => ownUrl(base, url))
    .find((url) => url?.pathname.endsWith("/openapi.json") === true)
  const url = linked ?? new URL("/openapi.json", base)
  if (url !== linked) yield* say("no contract is linked; I look where it usually is")
  yield* say(`reading    ${url.href}`)
  const { status, body } = yield* askPatiently(url, say)
  if (status !== 200) {
    return yield* new GaveUp({ message: `${url.href} answers ${status}: no prices` })
  }
  const contract = yield* Effect.fromResult(readContract(body))
  const two = contradiction(contract, links)
  if (two !== null) {
    return yield* new Distrust({
      message: `${two.path} costs $${two.said} by one document and $${two.price} by another`,
    })
  }
  yield* say(`contract   ${plain(contract.title, 160)} ${plain(contract.version, 20)}`)
  for (const { path, price, says } of contract.offers) {
    const cost = price === null ? "free" : `$${usd(price)}`
    yield* say(`  ${cost.padEnd(6)} ${plain(path, 160)}: ${plain(says, 110)}`)
  }
  return contract
})

/** The offer at a path; undefined when the service has none. */
export function offerAt({ offers }: Contract, path: string): Offer | undefined {
  return offers.find((offer) => offer.path === path)
}

const linksMax = 1_000
const linkPattern = /^- *\[[^\]\n]+\]\(([^)\s]+)\)(?:: *(.*))?$/gm

const linksOfLlms = Effect.fnUntraced(function* (base: URL, say: Say) {
  const url = new URL("/llms.txt", base)
  yield* say(`reading    ${url.href}`)
  const { status, text } = yield* askPatiently(url, say)
  if (status !== 200) {
    yield* say(`  there is none (status ${status})`)
    return []
  }
  const [head = ""] = text.split(/^## /m, 1)
  const [title = "", summary = "", ...details] = head.split("\n")
    .map((line) => line.replace(/^[#>] /, "").trim()).filter((line) => line !== "")
  yield* say(`service    ${plain(title, 160)}: ${plain(summary, 200)}`)
  for (const line of details.slice(0, 8)) yield* say(`  ${plain(line, 160)}`)
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

const linksOfCard = Effect.fnUntraced(function* (base: URL, say: Say) {
  const url = new URL("/.well-known/agent-card.json", base)
  yield* say(`reading    ${url.href}`)
  const { status, body } = yield* askPatiently(url, say)
  const card = Option.getOrNull(Schema.decodeUnknownOption(Card)(body))
  if (status !== 200 || card === null) {
    yield* say(`  there is no agent card (status ${status})`)
    return []
  }
  yield* say(`agent      ${plain(card.name, 160)}: ${plain(card.description, 200)}`)
  yield* say(`           speaks A2A ${plain(card.protocolVersion, 20)} at ${plain(card.url, 160)}`)
  for (const { id, description } of card.skills) {
    yield* say(`  ${plain(id, 40)}: ${plain(description, 110)}`)
  }
  const documentation = ownUrl(base, card.documentationUrl ?? "")
  if (documentation === null) return []
  yield* say(`reading    ${documentation.href}`)
  const { text } = yield* askPatiently(documentation, say)
  return (text.match(/https?:\/\/[^\s)>\]"'`]{1,500}/g) ?? [])
    .map((url): Link => ({ url, note: null }))
})

/** An address of the service's own origin; null for any other: an agent goes where it was sent. */
function ownUrl(base: URL, address: string): URL | null {
  const url = URL.parse(address, base)
  return url?.origin === base.origin ? url : null
}

/** A price in another form is refused. */
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
/** What the agent reads of /openapi.json. */
const OpenApi = Schema.Struct({
  info: Schema.Struct({ title: Schema.String, version: Schema.String }),
  paths: Schema.Record(Schema.String, Schema.Struct({ get: Schema.optionalKey(Operation) })),
})

/** The offers of a contract. */
export function readContract(json: unknown): Result.Result<Contract, GaveUp> {
  return Result.mapBoth(Schema.decodeUnknownResult(OpenApi)(json), {
    onFailure: ({ message }) => new GaveUp({ message: `The contract cannot be read: ${message}` }),
    onSuccess: ({ info, paths }) => ({
      title: info.title,
      version: info.version,
      offers: Object.entries(paths).flatMap(([path, { get }]) => {
        if (get === undefined) return []
        const count = get.parameters?.find(({ name }) => name === "count")
        const price = get["x-payment-info"]?.price.amount
        return [{
          path,
          says: get.summary ?? get.description ?? "",
          price: price === undefined ? null : atomic(price),
          countMax: count?.schema?.maximum ?? null,
        }]
      }),
    }),
  })
}

/** The first link that gives a path another price than the contract; null when there is none. */
export function contradiction({ offers }: Contract, links: ReadonlyArray<Link>) {
  for (const { url, note } of links) {
    const said = /^\$(\d{1,9}(?:\.\d{1,6})?)(?![\d])/.exec(note ?? "")?.[1]
    const pathname = URL.parse(url)?.pathname
    const offer = offers.find(({ path }) => path === pathname)
    if (said === undefined || offer === undefined || atomic(said) === offer.price) continue
    return { path: offer.path, said, price: offer.price === null ? "nothing" : usd(offer.price) }
  }
  return null
}
