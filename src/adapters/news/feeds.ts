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

/** A feed without a name is called by its host, and by its path too where others share the host. */
export function nameOf(url: string, others: ReadonlyArray<string>): string {
  const { host, pathname, search } = new URL(url)
  const shared = others.some((other) => other !== url && new URL(other).host === host)
  return shared ? `${host}${pathname}${search}` : host
}
