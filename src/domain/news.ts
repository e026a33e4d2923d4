/**
 * Headlines: what is kept of a piece of news. Every word of it is a stranger's.
 *
 * @module
 */
import type { EpochMs } from "./time.ts"

export interface Headline {
  readonly title: string
  /** Its identity: the same address is the same piece of news. */
  readonly url: string
  /** Who published it: a feed's name, or a site's host. */
  readonly source: string
  readonly publishedAt: EpochMs
}
