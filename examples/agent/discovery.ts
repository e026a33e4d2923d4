/**
 * From a base address to a contract: what an agent reads before it asks for anything.
 *
 * @module
 */
import { Effect, Result, Schema } from "effect"
import { excerpt, named } from "../../src/core/domain/untrusted.ts"
import { type Contract, contradiction, type Offer, readContract } from "./contract.ts"
import { type Link, readLlms } from "./llms.ts"
import { Distrust } from "./trust.ts"
import { money } from "./words.ts"
import { askPatiently, GaveUp, type Say } from "./wire.ts"

const lineLengthMax = 110
/** How much of what /llms.txt says in words is repeated. */
const detailsMax = 8
const detailLengthMax = 160

const Card = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  url: Schema.String,
  protocolVersion: Schema.String,
  documentationUrl: Schema.optionalKey(Schema.String),
  skills: Schema.Array(Schema.Struct({ id: Schema.String, description: Schema.String })),
})
const readCard = Schema.decodeUnknownResult(Card)

/** What the way in leads to. */
interface Found {
  readonly contract: URL | null
  readonly links: ReadonlyArray<Link>
}
const nothing: Found = { contract: null, links: [] }

/** Where an agent begins. */
export type Start = "llms" | "card"

/** Reads the way in, follows it to the contract, and says what there is. */
export const discover = Effect.fnUntraced(function* (base: URL, start: Start, say: Say) {
  const found = yield* start === "llms" ? fromLlms(base, say) : fromCard(base, say)
  const contractUrl = found.contract ?? new URL("/openapi.json", base)
  if (found.contract === null) yield* say("no contract is linked; I look where it usually is")
  yield* say(`reading    ${contractUrl.href}`)
  const { status, body } = yield* askPatiently(contractUrl, { say })
  if (status !== 200) {
    return yield* new GaveUp({ message: `${contractUrl.href} answers ${status}: no prices` })
  }
  const contract = yield* Effect.fromResult(readContract(body))
  const two = contradiction(contract, found.links)
  if (two !== null) {
    return yield* new Distrust({
      message: `${two.path} costs $${two.said} by one document and $${two.price} by another`,
    })
  }
  yield* say(`contract   ${named(contract.title)} ${named(contract.version, 20)}`)
  for (const offer of contract.offers) yield* say(offerLine(offer))
  return contract satisfies Contract
})

function offerLine({ path, price, says }: Offer): string {
  const cost = price === null ? "free" : money(price)
  return `  ${cost.padEnd(6)} ${path}: ${excerpt(says, lineLengthMax)}`
}

const fromLlms = Effect.fnUntraced(function* (base: URL, say: Say) {
  const url = new URL("/llms.txt", base)
  yield* say(`reading    ${url.href}`)
  const { status, text } = yield* askPatiently(url, { say })
  if (status !== 200) {
    yield* say(`  there is none (status ${status})`)
    return nothing
  }
  const { title, summary, details, sections } = yield* Effect.fromResult(readLlms(text))
  yield* say(`service    ${named(title)}${summary === null ? "" : `: ${excerpt(summary, 200)}`}`)
  for (const line of details.split("\n").slice(0, detailsMax)) {
    yield* say(`  ${excerpt(line, detailLengthMax)}`)
  }
  const links = sections.flatMap((section) => section.links)
  return { contract: contractAmong(base, links.map(({ url }) => url)), links }
})

const fromCard = Effect.fnUntraced(function* (base: URL, say: Say) {
  const url = new URL("/.well-known/agent-card.json", base)
  yield* say(`reading    ${url.href}`)
  const { status, body } = yield* askPatiently(url, { say })
  const card = readCard(body)
  if (status !== 200 || Result.isFailure(card)) {
    yield* say(`  there is no agent card (status ${status})`)
    return nothing
  }
  const { name, description, skills, documentationUrl, protocolVersion } = card.success
  yield* say(`agent      ${named(name)}: ${excerpt(description, 200)}`)
  yield* say(`           speaks A2A ${named(protocolVersion, 20)} at ${named(card.success.url)}`)
  for (const { id, description } of skills) {
    yield* say(`  ${named(id, 40)}: ${excerpt(description, lineLengthMax)}`)
  }
  const documentation = within(base, documentationUrl ?? "")
  if (documentation === null) return nothing
  yield* say(`reading    ${documentation.href}`)
  const { text } = yield* askPatiently(documentation, { say })
  return { contract: contractAmong(base, text.match(addressPattern) ?? []), links: [] }
})

const addressPattern = /https?:\/\/[^\s)>\]"'`]{1,500}/g

/** The first address that is a contract of the service itself. */
function contractAmong(base: URL, addresses: ReadonlyArray<string>): URL | null {
  const own = addresses.map((address) => within(base, address))
  return own.find((url) => url?.pathname.endsWith("/openapi.json") === true) ?? null
}

/** An address of the service's own origin; null for any other: an agent goes where it was sent. */
function within(base: URL, address: string): URL | null {
  const url = URL.parse(address, base)
  return url?.origin === base.origin ? url : null
}
