/**
 * What a feed is called and where it is: the addresses that settings name, and no others, are asked.
 *
 * @module
 */

export interface Feed {
  /** No two feeds have the same. */
  readonly name: string
  readonly url: string
}

/** GDELT's search of headlines, version 2.0. */
export const gdeltUrl = "https://api.gdeltproject.org/api/v2/doc/doc"

/** Feeds there may be: each is asked every quarter of an hour. */
export const feedsMax = 40

/**
 * The feeds at these addresses, each called by its host, from the second of a host on with a number:
 * names are published, and a path or a query may hold somebody's key.
 */
export function namedByHost(urls: ReadonlyArray<string>): ReadonlyArray<Feed> {
  const seen = new Map<string, number>()
  return urls.map((url) => {
    const { host } = new URL(url)
    const count = (seen.get(host) ?? 0) + 1
    seen.set(host, count)
    return { name: count === 1 ? host : `${host} ${count}`, url }
  })
}
