/**
 * Where Polymarket answers. A file of its own, because the launcher reads it for the permissions of the
 * service, and need not load the adapter.
 *
 * @module
 */

export const polymarketUrls = {
  gammaUrl: "https://gamma-api.polymarket.com",
  clobUrl: "https://clob.polymarket.com",
  /** Includes the API version. */
  dataUrl: "https://data-api.polymarket.com/v2",
}

/** Those of the venue, or of a stand-in. */
export type PolymarketUrls = Readonly<typeof polymarketUrls>
