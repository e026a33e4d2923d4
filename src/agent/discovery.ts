/**
 * From a base address to a contract: what an agent reads before it asks for anything.
 *
 * @module
 */
import { Effect, Result, Schema } from "effect"
import { excerpt, named } from "../domain/untrusted.ts"
import { type Contract, type Offer, readContract } from "./contract.ts"
import { readLlms } from "./llms.ts"
import { money } from "./words.ts"
import { askPatiently, GaveUp, type Say } from "./wire.ts"

const lineLengthMax = 110

const Card = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  url: Schema.String,
  protocolVersion: Schema.String,
  documentationUrl: Schema.optionalKey(Schema.String),
  skills: Schema.Array(Schema.Struct({ id: Schema.String, description: Schema.String })),
})
const readCard = Schema.decodeUnknownResult(Card)

/** Where an agent begins. */
export type Start = "llms" | "card"

/** Reads the way in, follows it to the contract, and says what there is. */
export const discover = Effect.fnUntraced(function* (base: URL, start: Start, say: Say) {
  const found = yield* start === "llms" ? fromLlms(base, say) : fromCard(base, say)
  const contractUrl = found ?? new URL("/openapi.json", base)
  if (found === null) yield* say("no contract is linked; I look where it usually is")
  yield* say(`reading    ${contractUrl.href}`)
  const { status, body } = yield* askPatiently(contractUrl, { say })
  if (status !== 200) {
    return yield* new GaveUp({ message: `${contractUrl.href} answers ${status}: no prices` })
  }
  const contract = yield* Effect.fromResult(readContract(body))
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
    return null
  }
  const { title, summary, sections } = yield* Effect.fromResult(readLlms(text))
  yield* say(`service    ${named(title)}${summary === null ? "" : `: ${excerpt(summary, 200)}`}`)
  for (const { heading, links } of sections) {
    yield* say(`  ${named(heading, 40)}: ${links.length} links`)
  }
  return contractAmong(base, sections.flatMap(({ links }) => links.map((link) => link.url)))
})

const fromCard = Effect.fnUntraced(function* (base: URL, say: Say) {
  const url = new URL("/.well-known/agent-card.json", base)
  yield* say(`reading    ${url.href}`)
  const { status, body } = yield* askPatiently(url, { say })
  const card = readCard(body)
  if (status !== 200 || Result.isFailure(card)) {
    yield* say(`  there is no agent card (status ${status})`)
    return null
  }
  const { name, description, skills, documentationUrl, protocolVersion } = card.success
  yield* say(`agent      ${named(name)}: ${excerpt(description, 200)}`)
  yield* say(`           speaks A2A ${named(protocolVersion, 20)} at ${named(card.success.url)}`)
  for (const { id, description } of skills) {
    yield* say(`  ${named(id, 40)}: ${excerpt(description, lineLengthMax)}`)
  }
  const documentation = within(base, documentationUrl ?? "")
  if (documentation === null) return null
  yield* say(`reading    ${documentation.href}`)
  const { text } = yield* askPatiently(documentation, { say })
  return contractAmong(base, text.match(addressPattern) ?? [])
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
