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
  fields: "/docs/fields",
  reference: "/docs/reference",
  changelog: "/changelog",
  card: "/card.png",
} as const

/** The pages of single markets: `/markets/{slug}`. */
export const marketsPrefix = "/markets/"

/** The page of the API reference with the operations of a tag. */
export const referencePath = (tag: string) => `${pagePaths.reference}/${tag}` as const
