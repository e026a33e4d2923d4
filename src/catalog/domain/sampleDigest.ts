/**
 * The digest of /v1/sample: written by the rules that write a real one, about made-up items.
 *
 * @module
 */
import { type Digest, digestEvery } from "../../digest/domain/digest.ts"
import { digestBrief } from "../../digest/domain/facts.ts"
import { templateDigest } from "../../digest/domain/template.ts"
import { digestOf } from "../../digest/domain/text.ts"
import type { FeedItem } from "../../feed/domain/item.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"

/** The digest of the slot before `until`, about these items. */
export function sampleDigest(items: ReadonlyArray<FeedItem>, until: EpochMs): Digest {
  const slot = until - until % digestEvery
  const brief = digestBrief({
    from: until - digestEvery,
    until,
    movers: items.filter((item) => item.type === "mover"),
    whaleEntries: items.filter((item) => item.type === "whale_entry"),
    predetermined: items.filter((item) => item.type === "predetermined"),
    resolutions: [],
    headlines: [{
      title: "Sample headline",
      url: "https://news.example/sample-headline",
      source: "news.example",
      publishedAt: until - hour,
      markets: items.slice(0, 1).map(({ data }) => data.market.slug),
    }],
    upcoming: [],
    coverage: {
      marketsWatched: 1_240,
      venueReadAt: until,
      news: { sources: 3, answered: 2 },
      walletsTracked: 96,
      detector: "rules",
      itemsUnread: 0,
      missing: [],
    },
  })
  const making = { slot, createdAt: until, narrator: "template", venue: "a sample venue" }
  return { ...digestOf(templateDigest(brief), brief, making), id: "sample-digest" }
}
