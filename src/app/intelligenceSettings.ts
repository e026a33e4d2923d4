/**
 * The settings of the written products: which model writes, if any, and where the news comes from.
 *
 * Real news stands beside the real venue only: in a made-up world it would explain what never
 * happened, and beside recorded pages what had not happened yet.
 *
 * @module
 */
import { Config, Effect, Redacted } from "effect"
import { type Feed, feedsMax, namedByHost } from "../news/sources/feeds.ts"
import type { ModelOptions } from "../writing/openai/model.ts"
import { isLoopback, type Read, readServiceUrl, refuse } from "./settingsReader.ts"

type NewsSettings =
  | { readonly kind: "off" }
  /** What the simulated world itself tells. */
  | { readonly kind: "simulated" }
  | { readonly kind: "real"; readonly gdelt: boolean; readonly feeds: ReadonlyArray<Feed> }

export interface IntelligenceSettings {
  /** Null: rules write and detect. */
  readonly model: ModelOptions | null
  readonly news: NewsSettings
}

/** Public feeds of headlines; each publisher's terms allow a title with a link. */
const builtInFeeds: ReadonlyArray<Feed> = [
  { name: "BBC", url: "https://feeds.bbci.co.uk/news/world/rss.xml" },
  { name: "Al Jazeera", url: "https://www.aljazeera.com/xml/rss/all.xml" },
  { name: "DW", url: "https://rss.dw.com/xml/rss-en-all" },
  { name: "The Guardian", url: "https://www.theguardian.com/world/rss" },
  { name: "France 24", url: "https://www.france24.com/en/rss" },
  { name: "NPR", url: "https://feeds.npr.org/1004/rss.xml" },
  { name: "Euronews", url: "https://www.euronews.com/rss?format=mrss" },
]
const builtInNews: NewsSettings = { kind: "real", gdelt: true, feeds: builtInFeeds }

const openaiUrl = new URL("https://api.openai.com/v1")
/** A small one: its drafts are checked word by word, and six digests a day are written. */
const modelDefault = "gpt-5-mini"
/** Goes out where a server of this machine asks for no key. */
const keyOfNobody = Redacted.make("none")
/** USD a million tokens that no model costs: a slip of the decimal point. */
const priceMax = 1_000
const addressLengthMax = 500

export const intelligence = Effect.fnUntraced(function* (
  venue: "simulated" | "replay" | "polymarket",
  read: Read,
) {
  return {
    model: yield* readModel(read),
    news: yield* readNews(venue, read),
  } satisfies IntelligenceSettings
})

const readModel = Effect.fnUntraced(function* (read: Read) {
  const key = yield* read(
    "OPENAI_API_KEY",
    Config.Redacted,
    "a key of visible characters, at most 500",
    null,
    (key) => /^[\x21-\x7e]{1,500}$/.test(Redacted.value(key)),
  )
  const address = yield* readServiceUrl(read, "OPENAI_BASE_URL")
  const baseUrl = address === null ? null : new URL(Redacted.value(address))
  if (baseUrl !== null && baseUrl.search !== "") {
    return yield* refuse("OPENAI_BASE_URL must have no query: paths are added to it")
  }
  const model = yield* read(
    "OPENAI_MODEL",
    Config.String,
    "a model's name: letters, digits and ._:/@- only, at most 100",
    null,
    (name) => /^[\w.:/@-]{1,100}$/.test(name),
  )
  const price = yield* readPrice(read)
  if (key === null && (baseUrl === null || !isLoopback(baseUrl.hostname))) {
    const set = baseUrl !== null ? "OPENAI_BASE_URL" : model !== null ? "OPENAI_MODEL" : null
    if (set !== null) {
      return yield* refuse(`${set} is set and OPENAI_API_KEY is not: set both, or neither`)
    }
    return price === null
      ? null
      : yield* refuse("OPENAI_PRICE is set and OPENAI_API_KEY is not: set both, or neither")
  }
  if (model === null && baseUrl !== null) {
    return yield* refuse("OPENAI_BASE_URL needs OPENAI_MODEL, the name of a model of that server")
  }
  return {
    apiKey: key ?? keyOfNobody,
    baseUrl: baseUrl ?? openaiUrl,
    model: model ?? modelDefault,
    price,
  } satisfies ModelOptions
})

const readPrice = (read: Read) =>
  Effect.map(
    read(
      "OPENAI_PRICE",
      Config.String,
      `input/output in USD a million tokens, such as 0.25/2, each at most ${priceMax}`,
      null,
      (text) => priceOf(text) !== null,
    ),
    (text) => text === null ? null : priceOf(text),
  )

function priceOf(text: string): ModelOptions["price"] {
  const [, input, output] = /^(\d{1,4}(?:\.\d{1,6})?)\/(\d{1,4}(?:\.\d{1,6})?)$/.exec(text) ?? []
  const price = { inputUsdPerMillion: Number(input), outputUsdPerMillion: Number(output) }
  return Math.max(...Object.values(price)) <= priceMax ? price : null
}

const readNews = Effect.fnUntraced(function* (
  venue: "simulated" | "replay" | "polymarket",
  read: Read,
) {
  const text = yield* read(
    "NEWS_FEEDS",
    Config.String,
    `off, or https addresses of feeds with commas between, gdelt among them or not, at most ${feedsMax}`,
    null,
    (text) => text === "off" || feedsOf(text) !== null,
  )
  if (text === "off") return { kind: "off" } satisfies NewsSettings
  const real = text === null ? null : feedsOf(text)
  if (venue === "polymarket") return real ?? builtInNews
  if (real !== null) {
    return yield* refuse(
      `NEWS_FEEDS names real news, and VENUE=${venue} shows no real present: leave it out, or set ` +
        "it to off",
    )
  }
  return { kind: venue === "simulated" ? "simulated" : "off" } satisfies NewsSettings
})

/** The sources a list names; null when one of them is none, or stands there twice. */
function feedsOf(text: string): Extract<NewsSettings, { kind: "real" }> | null {
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "")
  const addresses = parts.filter((part) => part !== "gdelt").map(feedAddress)
  const distinct = new Set(addresses)
  if (parts.length === 0 || distinct.size < addresses.length || distinct.has(null)) return null
  if (addresses.length > feedsMax || parts.length - addresses.length > 1) return null
  const feeds = namedByHost(addresses.filter((address) => address !== null)).map((feed) =>
    builtInFeeds.find(({ url }) => url === feed.url) ?? feed
  )
  return { kind: "real", gdelt: parts.length > addresses.length, feeds }
}

function feedAddress(text: string): string | null {
  const url = text.length > addressLengthMax ? null : URL.parse(text)
  return url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "" ||
      url.hash !== ""
    ? null
    : url.href
}
