/**
 * Headlines: what of a source's row is kept.
 *
 * Every word of a headline is untrusted: this file removes markup and control characters, and each use
 * sanitizes it (`safeName`). A source's time is accepted only near the present.
 *
 * @module
 */
import { Result } from "effect"
import { day, type EpochMs, hour } from "../../core/domain/time.ts"
import { excerpt } from "../../core/domain/untrusted.ts"
import vocabulary from "./vocabulary.json" with { type: "json" }

export interface Headline {
  readonly title: string
  /** The identity of a headline. */
  readonly url: string
  /** The publisher: a feed's name, or a site's host. */
  readonly source: string
  readonly publishedAt: EpochMs
}

/** How long headlines are stored, and the maximum age of a new one. */
export const newsRetentionMs = 7 * day
/** How far a publisher's clock may run ahead. */
const aheadMsMax = hour
/** Characters of a title; the longest of real headlines have 200. */
export const titleLengthMax = 300
/** Characters of an address. */
export const addressLengthMax = 1_000
/** Characters of a source's name. */
const sourceLengthMax = 80
/** Characters of a raw title that are read; cleaning can make it four times shorter. */
const rawTitleLengthMax = 4 * titleLengthMax

/** Why a row is rejected. */
type HeadlineFault = "no_title" | "no_address" | "no_time" | "in_the_future" | "too_old"

/** A row of a source before validation. */
export interface RawHeadline {
  readonly title: string
  readonly url: string
  readonly source: string
  readonly publishedAt: EpochMs | null
}

/** The validated headline of a row. A time slightly in the future becomes `now`. */
export function headlineOf(raw: RawHeadline, now: EpochMs): Result.Result<Headline, HeadlineFault> {
  const title = cleanTitle(raw.title)
  if (!/\p{L}/u.test(title)) return Result.fail("no_title")
  const url = canonicalAddress(raw.url)
  if (url === null) return Result.fail("no_address")
  const { publishedAt } = raw
  if (publishedAt === null || !Number.isFinite(publishedAt)) return Result.fail("no_time")
  if (publishedAt > now + aheadMsMax) return Result.fail("in_the_future")
  if (publishedAt < now - newsRetentionMs) return Result.fail("too_old")
  const source = excerpt(raw.source, sourceLengthMax) || new URL(url).hostname
  return Result.succeed({ title, url, source, publishedAt: Math.min(Math.floor(publishedAt), now) })
}

/** Query parameters that track the reader and do not select the page. */
const trackingParameter =
  /^(?:utm_|at_|ns_|mc_|pk_|hsa_|__)|^(?:fbclid|gclid|dclid|msclkid|yclid|igshid|cmp|cmpid|icid|intcmp|ocid|ftag|xtor|maca|smid|ito|ref|ref_src|rss|traffic_source|guccounter)$/i

/** A name under a top-level domain: no IP address and no name of a local network. */
const publicHost = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/

/**
 * The canonical form of a web address: without a fragment, without tracking parameters, and without any
 * character that could end a link in Markdown. Null for an invalid address, one with a login, and one
 * that is not on a public host's default port.
 */
export function canonicalAddress(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed.length > addressLengthMax || /[\s\p{C}]/u.test(trimmed)) return null
  const url = URL.parse(trimmed)
  if (url === null || !/^https?:$/.test(url.protocol) || !publicHost.test(url.hostname)) return null
  if (url.username !== "" || url.password !== "" || url.port !== "") return null
  const kept = url.search.slice(1).split("&").filter((part) =>
    part !== "" && !trackingParameter.test(part.split("=")[0] ?? "")
  )
  const query = kept.length === 0 ? "" : `?${kept.join("&")}`
  const spelled = `${url.origin}${url.pathname}${query}`.replace(
    /[()[\]{}<>"'`|\\^*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return spelled.length > addressLengthMax ? null : spelled
}

/** Named entities that occur in titles. */
const entities: Readonly<Record<string, string>> = vocabulary.entities

/**
 * A title as plain text on one line. Entities are decoded once more than the format requires, because
 * many feeds encode twice; tags are removed, because some feeds wrap titles in them.
 */
export function cleanTitle(text: string): string {
  const decoded = text.slice(0, rawTitleLengthMax).replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi,
    (whole, decimal?: string, hexadecimal?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? parseInt(hexadecimal ?? "", 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : " "
    },
  )
  // Removing a tag may leave another one, or the start of one, so every remaining `<` that could start a
  // tag is removed too.
  const plain = decoded.toWellFormed().replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(/<(?=[a-z/!?])/gi, " ")
  return excerpt(plain, titleLengthMax)
}

/** A total order: by time, then by address, title and source. */
export function byTime(a: Headline, b: Headline): number {
  return a.publishedAt - b.publishedAt || compare(a.url, b.url) || compare(a.title, b.title) ||
    compare(a.source, b.source)
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
