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
  /** Swagger UI over the OpenAPI documents. */
  api: "/docs/api",
} as const

/** The pages of single markets: `/markets/{slug}`. */
export const marketsPrefix = "/markets/"

/** The files of the page of the API. */
export const apiFiles = {
  script: `${pagePaths.api}/swagger-ui-bundle.js`,
  style: `${pagePaths.api}/swagger-ui.css`,
  start: `${pagePaths.api}/start.js`,
} as const
