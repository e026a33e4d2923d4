/**
 * Discovery: the agent reads /llms.txt (or the A2A agent card), follows its link to /openapi.json,
 * and compares the prices of both with those that its client knows. It buys nothing from a service
 * that contradicts itself.
 *
 * @module
 */
import { calls, plain } from "bellwether-client"
import { Schema } from "effect"

/** The documents of the service cannot be read, or they contradict each other. */
export class CannotTrust extends Error {
  override readonly name = "CannotTrust"
}

/** Reads the start document and the contract that it names. */
export async function discover(
  base: URL,
  start: "llms" | "card",
  print: (line: string) => void,
): Promise<void> {
  const read = async (url: URL) => {
    print(`reading    ${url.href}`)
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { redirect: "manual", signal })
    if (response.ok) return await response.text()
    throw new CannotTrust(`${url.href} returned status ${response.status}`)
  }
  const text = await read(new URL(startPaths[start], base))
  for (const line of start === "llms" ? headOf(text) : cardLines(text)) print(line)
  const page = start === "llms" ? text : await read(new URL(startPaths.llms, base))
  const contract = readContract(await read(contractAddress(base, page)))
  print(`contract   ${plain(contract.title, 160)} ${plain(contract.version, 20)}`)
  const conflict = findPriceConflict(contract, page)
  if (conflict !== null) throw new CannotTrust(conflict)
  for (const { path, priceUsd, title } of Object.values(calls)) {
    print(`  ${(priceUsd === null ? "free" : `$${priceUsd}`).padEnd(6)} ${path}: ${title}`)
  }
}

const timeoutMs = 30_000
const startPaths = { llms: "/llms.txt", card: "/.well-known/agent-card.json" } as const
/** The lines of a document that are printed. */
const headLinesMax = 8

function headOf(text: string): ReadonlyArray<string> {
  const [head = ""] = text.split(/^## /m, 1)
  const lines = head.split("\n").filter((line) => line.trim() !== "")
  return lines.slice(0, headLinesMax).map((line) => `  ${plain(line, 160)}`)
}

const Card = Schema.fromJsonString(Schema.Struct({
  name: Schema.String,
  url: Schema.String,
  skills: Schema.Array(Schema.Struct({ id: Schema.String, description: Schema.String })),
}))

function cardLines(text: string): ReadonlyArray<string> {
  const { name, url, skills } = decode(Card, text, "The agent card")
  return [
    `agent      ${plain(name, 160)} at ${plain(url, 160)}`,
    ...skills.map(({ id, description }) => `  ${plain(id, 40)}: ${plain(description, 110)}`),
  ]
}

function decode<A>(schema: Schema.Codec<A, string>, text: string, what: string): A {
  try {
    return Schema.decodeUnknownSync(schema)(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : ""
    throw new CannotTrust(`${what} cannot be read: ${plain(why, 300)}`)
  }
}

const linkPattern = /^- *\[[^\]\n]+\]\(([^)\s]+)\)(?:: *\$(\d{1,9}(?:\.\d{1,6})?)(?!\d))?/gm

/** The contract that a page links to. It must have the service's own origin. */
function contractAddress(base: URL, page: string): URL {
  const linked = [...page.matchAll(linkPattern)].map(([, url = ""]) => URL.parse(url, base))
    .find((url) => url?.origin === base.origin && url.pathname.endsWith("/openapi.json"))
  return linked ?? new URL("/openapi.json", base)
}

/** A price in any other form is refused. */
const Price = Schema.Struct({
  mode: Schema.Literal("fixed"),
  currency: Schema.Literal("USD"),
  amount: Schema.String.check(Schema.isPattern(/^\d{1,9}(\.\d{1,6})?$/)),
})
const Operation = Schema.Struct({
  "x-payment-info": Schema.optionalKey(Schema.Struct({ price: Price })),
})
const OpenApi = Schema.fromJsonString(Schema.Struct({
  info: Schema.Struct({ title: Schema.String, version: Schema.String }),
  paths: Schema.Record(Schema.String, Schema.Struct({ get: Schema.optionalKey(Operation) })),
}))

export interface Contract {
  readonly title: string
  readonly version: string
  /** The price of each path in dollars; null for a free one. */
  readonly prices: ReadonlyMap<string, string | null>
}

export function readContract(text: string): Contract {
  const { info, paths } = decode(OpenApi, text, "The contract")
  const prices = Object.entries(paths).flatMap(([path, { get }]) =>
    get === undefined ? [] : [[path, get["x-payment-info"]?.price.amount ?? null] as const]
  )
  return { ...info, prices: new Map(prices) }
}

/** A price that differs from the one that the client knows; null when all agree. */
export function findPriceConflict({ prices }: Contract, page: string): string | null {
  const listed = [...page.matchAll(linkPattern)].flatMap(([, url = "", price]) => {
    const path = URL.parse(url)?.pathname
    return price === undefined || path === undefined ? [] : [[path, price] as const]
  })
  for (const { path, priceUsd } of Object.values(calls)) {
    for (const [other, price] of [...prices, ...listed]) {
      if (other !== path || isSameAmount(price, priceUsd)) continue
      return `${path} costs ${costOf(price)} in a document of the service, and ${
        costOf(priceUsd)
      } in the client`
    }
  }
  return null
}

const costOf = (price: string | null) => price === null ? "nothing" : `$${price}`

function isSameAmount(one: string | null, other: string | null): boolean {
  return one === null || other === null ? one === other : Number(one) === Number(other)
}
