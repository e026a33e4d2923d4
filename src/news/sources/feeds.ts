/**
 * The feeds to read and their names: those in the settings, else the default ones.
 *
 * @module
 */

export interface NewsFeed {
  /** Unique. */
  readonly name: string
  readonly url: string
}

/** GDELT's search of headlines, version 2.0. */
export const gdeltUrl = "https://api.gdeltproject.org/api/v2/doc/doc"

/** Maximum number of feeds: each is read every quarter of an hour. */
export const feedsMax = 40

/** The sources that are read over the network. */
export interface NewsFeedList {
  readonly gdelt: boolean
  readonly feeds: ReadonlyArray<NewsFeed>
}

/** Public feeds; the terms of each publisher allow a title with a link. */
export const defaultFeeds: NewsFeedList = {
  gdelt: true,
  feeds: [
    { name: "BBC", url: "https://feeds.bbci.co.uk/news/world/rss.xml" },
    { name: "Al Jazeera", url: "https://www.aljazeera.com/xml/rss/all.xml" },
    { name: "DW", url: "https://rss.dw.com/xml/rss-en-all" },
    { name: "The Guardian", url: "https://www.theguardian.com/world/rss" },
    { name: "France 24", url: "https://www.france24.com/en/rss" },
    { name: "NPR", url: "https://feeds.npr.org/1004/rss.xml" },
    { name: "Euronews", url: "https://www.euronews.com/rss?format=mrss" },
  ],
}

const addressLengthMax = 500

/** Parses a comma-separated list; null when an address is invalid or occurs twice. */
export function parseNewsFeedList(text: string): NewsFeedList | null {
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "")
  const addresses = parts.filter((part) => part !== "gdelt").map(feedAddress)
  const distinct = new Set(addresses)
  if (parts.length === 0 || distinct.size < addresses.length || distinct.has(null)) return null
  if (addresses.length > feedsMax || parts.length - addresses.length > 1) return null
  const feeds = namedByHost(addresses.filter((address) => address !== null)).map((feed) =>
    defaultFeeds.feeds.find(({ url }) => url === feed.url) ?? feed
  )
  return { gdelt: parts.length > addresses.length, feeds }
}

function feedAddress(text: string): string | null {
  const url = text.length > addressLengthMax ? null : URL.parse(text)
  return url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "" ||
      url.hash !== ""
    ? null
    : url.href
}

/**
 * The feeds at these addresses, each named by its host; from the second feed of a host on, a number is
 * added. Names are published, and a path or a query may contain an API key.
 */
function namedByHost(urls: ReadonlyArray<string>): ReadonlyArray<NewsFeed> {
  const seen = new Map<string, number>()
  return urls.map((url) => {
    const { host } = new URL(url)
    const count = (seen.get(host) ?? 0) + 1
    seen.set(host, count)
    return { name: count === 1 ? host : `${host} ${count}`, url }
  })
}
