/**
 * Parses a feed into rows: RSS 0.9 to 2.0, Atom, RDF and JSON Feed.
 *
 * The parser expands no entity that a document declares, opens no other document, stops at nested
 * elements, and compiles nothing from strings.
 *
 * @module
 */
import { type AnyFeed, parseFeed } from "feedsmith"
import { Result } from "effect"
import type { RawHeadline } from "../domain/headline.ts"
import { dateOf } from "./rows.ts"

/**
 * The rows of the feed, in its order, at most `rowsMax` + 1; or the reason, in a few words, why the text
 * is not a feed. `source` is the feed's name.
 */
export function feedRows(
  text: string,
  source: string,
  rowsMax: number,
): Result.Result<ReadonlyArray<RawHeadline>, string> {
  const parsed = Result.try({
    try: () => entriesOf(parseFeed(text.trimStart(), { maxItems: rowsMax + 1 })),
    catch: () => /^\s*<(?:!doctype\s+html|html)/i.test(text) ? "an HTML page" : "not a feed",
  })
  return Result.map(parsed, (entries) =>
    entries.map(({ title, url, date }) => ({
      title: textOrEmpty(title),
      url: textOrEmpty(url),
      source,
      publishedAt: dateOf(textOrEmpty(date)),
    })))
}

/** The fields of an entry, which may have any type. */
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

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : ""
}
