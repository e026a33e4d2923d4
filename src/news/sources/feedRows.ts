/**
 * A feed's text as rows: RSS 0.9 to 2.0, Atom, RDF and JSON Feed, as their publishers write them.
 *
 * The parser expands no entity that a document declares, opens no other document, stops at nested
 * elements, and compiles nothing from strings.
 *
 * @module
 */
import { type AnyFeed, parseFeed } from "feedsmith"
import { Result } from "effect"
import type { Told } from "../domain/headline.ts"
import { dateOf } from "./rows.ts"

/**
 * The rows of a feed called `source`, in its order, one more than `rowsMax` at most; or, in a few
 * words, why it is no feed.
 */
export function feedRows(
  text: string,
  source: string,
  rowsMax: number,
): Result.Result<ReadonlyArray<Told>, string> {
  const parsed = Result.try({
    try: () => entriesOf(parseFeed(text.trimStart(), { maxItems: rowsMax + 1 })),
    catch: () => /^\s*<(?:!doctype\s+html|html)/i.test(text) ? "a page of HTML" : "no feed",
  })
  return Result.map(parsed, (entries) =>
    entries.map(({ title, url, date }) => ({
      title: spelled(title),
      url: spelled(url),
      source,
      publishedAt: dateOf(spelled(date)),
    })))
}

/** What an entry says of itself; anything may stand where a text belongs. */
interface Entry {
  readonly title: unknown
  readonly url: unknown
  readonly date: unknown
}

function entriesOf({ format, feed }: AnyFeed): ReadonlyArray<Entry> {
  switch (format) {
    case "rss":
      return (feed.items ?? []).map((item) => ({
        title: item.title ?? item.dc?.titles?.[0],
        url: item.link ?? (item.guid?.isPermaLink === false ? undefined : item.guid?.value),
        date: item.pubDate ?? item.dc?.dates?.[0],
      }))
    case "atom":
      return (feed.entries ?? []).map((entry) => ({
        title: entry.title?.value,
        url: (entry.links?.find(({ rel }) => rel === undefined || rel === "alternate") ??
          entry.links?.[0])?.href,
        date: entry.published ?? entry.updated,
      }))
    case "rdf":
      return (feed.items ?? []).map((item) => ({
        title: item.title,
        url: item.link,
        date: item.dc?.dates?.[0],
      }))
    case "json":
      return (feed.items ?? []).map((item) => ({
        title: item.title,
        url: item.url ?? item.external_url,
        date: item.date_published ?? item.date_modified,
      }))
  }
}

function spelled(value: unknown): string {
  return typeof value === "string" ? value : ""
}
