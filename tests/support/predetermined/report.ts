/**
 * Stories about a market, as a model read them.
 *
 * @module
 */
import { minute } from "../../../src/core/domain/time.ts"
import type { RelatedStory } from "../../../src/news/domain/reading.ts"
import { now } from "../movers/market.ts"

/** A story of one publisher that was read as decisive, unless `fields` says otherwise. */
export function report(
  title: string,
  site: string,
  fields: Partial<RelatedStory> = {},
): RelatedStory {
  const outlet = {
    title,
    url: `https://${site}.example/1`,
    source: site,
    publishedAt: now - minute,
  }
  return {
    ...{ title, url: outlet.url, source: site, firstAt: outlet.publishedAt, outlets: [outlet] },
    ...{ label: "none", corrected: false },
    reading: { outcome: "Yes", bears: "for", decides: true, quote: title },
    ...fields,
  }
}
