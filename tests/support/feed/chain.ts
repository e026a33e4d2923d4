/**
 * The chain of feed items, computed item by item, for stand-ins and as the reference of the stores.
 *
 * @module
 */
import { Option } from "effect"
import { sha256 } from "../../../src/core/sha256.ts"
import {
  type ChainLink,
  type ChainProof,
  contentText,
  linkText,
  noHash,
  pathOf,
  skipIndex,
} from "../../../src/feed/domain/chain.ts"
import { contentOf, type FeedItem } from "../../../src/feed/domain/item.ts"

interface Linked extends ChainLink {
  readonly hash: string
}

const computed = new WeakMap<ReadonlyArray<FeedItem>, ReadonlyArray<Linked>>()

/** The links of these items, in order; computed once for a list. */
export function linksOf(items: ReadonlyArray<FeedItem>): ReadonlyArray<Linked> {
  const known = computed.get(items)
  // A stand-in adds to its list.
  if (known !== undefined && known.length === items.length) return known
  const links = newLinks(items)
  computed.set(items, links)
  return links
}

function newLinks(items: ReadonlyArray<FeedItem>): ReadonlyArray<Linked> {
  const links = new Map<number, Linked>()
  const hashAt = (index: number) => links.get(index)?.hash ?? noHash
  for (const item of items) {
    const { feedIndex } = item
    const link = {
      contentHash: sha256(contentText(contentOf(item), item.chain?.salt ?? "")),
      feedIndex,
      previousHash: hashAt(feedIndex - 1),
      skipHash: hashAt(skipIndex(feedIndex)),
    }
    links.set(feedIndex, { ...link, hash: sha256(linkText(link)) })
  }
  return [...links.values()]
}

/** The head of the chain over all items. */
export function headOf(items: ReadonlyArray<FeedItem>) {
  const last = linksOf(items).at(-1)
  return { index: last?.feedIndex ?? 0, hash: last?.hash ?? noHash }
}

/** What `FeedStore.proof` returns over these items. */
export function proofOf(
  items: ReadonlyArray<FeedItem>,
  wanted: number | null,
): Option.Option<ChainProof> {
  const links = new Map(linksOf(items).map(({ hash: _, ...link }) => [link.feedIndex, link]))
  const head = headOf(items)
  const feedIndex = wanted ?? head.index
  if (!links.has(feedIndex)) return Option.none()
  return Option.some({
    head,
    path: pathOf(head.index, feedIndex).flatMap((index) => links.get(index) ?? []),
  })
}
