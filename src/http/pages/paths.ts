/**
 * The paths of the pages for people.
 *
 * @module
 */
import { paths } from "../documents/addresses.ts"

export const pagePaths = {
  home: paths.home,
  trackRecord: "/track-record",
  signals: "/signals",
  digest: "/digest",
  status: "/status",
  pricing: "/pricing",
  docs: paths.docs,
} as const

/** The pages of single markets: `/markets/{slug}`. */
export const marketsPrefix = "/markets/"
