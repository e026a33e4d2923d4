/**
 * Headlines: what is kept of a piece of news, when it is believed, and when two are one.
 *
 * Every word of a headline is a stranger's: cleaned here of what is no text, and made harmless
 * (`named`) where it is used. A source's time is believed only near the present.
 *
 * @module
 */
import { Result } from "effect"
import { day, type EpochMs, hour } from "../../core/domain/time.ts"
import { excerpt } from "../../core/domain/untrusted.ts"

export interface Headline {
  readonly title: string
  /** Its identity: the same address is the same piece of news. */
  readonly url: string
  /** Who published it: a feed's name, or a site's host. */
  readonly source: string
  readonly publishedAt: EpochMs
}

/** How long headlines are kept, and how old one may be that is new to us. */
export const newsRetentionMs = 7 * day
/** How far a publisher's clock may run ahead. */
const aheadMsMax = hour
/** Characters of a title; the longest of real headlines have 200. */
export const titleLengthMax = 300
/** Characters of an address. */
export const addressLengthMax = 1_000
/** Characters of a source's name. */
const sourceLengthMax = 80
/** As much of a title is looked at as could clean up to the longest one. */
const titleLookMax = 4 * titleLengthMax

/** Why a row of a source is no headline. */
type HeadlineFault = "no_title" | "no_address" | "no_time" | "in_the_future" | "too_old"

/** A row as a source gives it: anything may be missing or nonsense. */
export interface Told {
  readonly title: string
  readonly url: string
  readonly source: string
  readonly publishedAt: EpochMs | null
}

/** The headline a row tells at `now`. A time a little ahead of ours is taken to be now. */
export function headlineOf(told: Told, now: EpochMs): Result.Result<Headline, HeadlineFault> {
  const title = cleanTitle(told.title)
  if (!/\p{L}/u.test(title)) return Result.fail("no_title")
  const url = canonicalAddress(told.url)
  if (url === null) return Result.fail("no_address")
  const { publishedAt } = told
  if (publishedAt === null || !Number.isFinite(publishedAt)) return Result.fail("no_time")
  if (publishedAt > now + aheadMsMax) return Result.fail("in_the_future")
  if (publishedAt < now - newsRetentionMs) return Result.fail("too_old")
  const source = excerpt(told.source, sourceLengthMax) || new URL(url).hostname
  return Result.succeed({ title, url, source, publishedAt: Math.min(Math.floor(publishedAt), now) })
}

/** What tells where a reader came from, and not what is read. */
const tracking =
  /^(?:utm_|at_|ns_|mc_|pk_|hsa_|__)|^(?:fbclid|gclid|dclid|msclkid|yclid|igshid|cmp|cmpid|icid|intcmp|ocid|ftag|xtor|maca|smid|ito|ref|ref_src|rss|traffic_source|guccounter)$/i

/** A name under a top-level domain: no address of a machine, and no name of a local network. */
const publicHost = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/

/**
 * The one spelling of an address on the web: without a fragment, without what only tracks a reader,
 * without any character that could end a link in Markdown. Null for what is none, holds a login, or
 * leads to anything but a public host's usual port.
 */
export function canonicalAddress(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed.length > addressLengthMax || /[\s\p{C}]/u.test(trimmed)) return null
  const url = URL.parse(trimmed)
  if (url === null || !/^https?:$/.test(url.protocol) || !publicHost.test(url.hostname)) return null
  if (url.username !== "" || url.password !== "" || url.port !== "") return null
  const kept = url.search.slice(1).split("&").filter((part) =>
    part !== "" && !tracking.test(part.split("=")[0] ?? "")
  )
  const query = kept.length === 0 ? "" : `?${kept.join("&")}`
  const spelled = `${url.origin}${url.pathname}${query}`.replace(
    /[()[\]{}<>"'`|\\^*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return spelled.length > addressLengthMax ? null : spelled
}

/** The entities that feeds write though nothing asks for it. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", hellip: "…" },
  ...{ ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”" },
}

/**
 * A title as plain text on one line. Entities are decoded once more than the format asks, for many
 * feeds encode twice; tags, which some wrap titles in, are taken out.
 */
export function cleanTitle(text: string): string {
  const decoded = text.slice(0, titleLookMax).replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi,
    (whole, decimal?: string, hexadecimal?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? parseInt(hexadecimal ?? "", 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : " "
    },
  )
  // What is taken away may leave another tag, or the start of one: no sign that opens one stays.
  const plain = decoded.toWellFormed().replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(/<(?=[a-z/!?])/gi, " ")
  return excerpt(plain, titleLengthMax)
}

/** Two of one source with the same words no further apart than this are one story. */
const sameStoryMs = day

/**
 * Those of `found` that are news beside `known`, each story once, oldest first: of one address, or of
 * one source and the same words within a day, the first stands. What two sources tell are two.
 * The order in which they are given does not matter.
 */
export function newStories(
  known: ReadonlyArray<Headline>,
  found: ReadonlyArray<Headline>,
): ReadonlyArray<Headline> {
  const addresses = new Set(known.map(({ url }) => url))
  const told = new Map<string, Array<EpochMs>>()
  for (const headline of known) timesOf(told, headline).push(headline.publishedAt)
  return [...found].sort(byTime).filter((headline) => {
    const times = timesOf(told, headline)
    const isKnown = addresses.has(headline.url) ||
      times.some((at) => Math.abs(at - headline.publishedAt) <= sameStoryMs)
    if (isKnown) return false
    addresses.add(headline.url)
    times.push(headline.publishedAt)
    return true
  })
}

/** When one source told a story of these words. */
function timesOf(told: Map<string, Array<EpochMs>>, { source, title }: Headline): Array<EpochMs> {
  const words = title.toLowerCase().normalize("NFKD").match(/[\p{L}\p{N}]+/gu) ?? [title]
  const key = `${source} ${words.join(" ")}`
  const times = told.get(key) ?? []
  told.set(key, times)
  return times
}

/** A total order of headlines that differ: by time, then by their words and addresses. */
function byTime(a: Headline, b: Headline): number {
  return a.publishedAt - b.publishedAt || compare(a.url, b.url) || compare(a.title, b.title) ||
    compare(a.source, b.source)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
