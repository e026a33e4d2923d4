/**
 * The facts of a digest about itself: what it covers, and what could not be read.
 *
 * @module
 */
import { count, factOf, type NewDigestFact, time } from "./factBuilders.ts"
import type { DigestSection } from "./digest.ts"
import type { DigestMaterial } from "./material.ts"
import { minute } from "../../core/domain/time.ts"

/** The venue is read every ten minutes; an older reading means that something may be missing. */
const readingAgeMax = 30 * minute

/** The window first; then one fact for each gap. */
export function coverageFacts(
  material: DigestMaterial,
): readonly [NewDigestFact, ...ReadonlyArray<NewDigestFact>] {
  return [
    windowFact(material),
    ...readingFact(material),
    ...walletsFact(material),
    ...newsFact(material),
    ...partFact(material, "upcoming", "The markets that resolve soon could not be read."),
    ...partFact(
      material,
      "quotes",
      "The prices of related markets could not be read.",
    ),
    ...unreadFact(material),
  ]
}

function windowFact({ coverage, from, until }: DigestMaterial): NewDigestFact {
  const { marketsWatched, news, walletsTracked } = coverage
  const values = {
    startsAt: time(from, until),
    endsAt: time(until, from),
    markets: count(marketsWatched, "market"),
    wallets: count(walletsTracked, "tracked wallet"),
    sources: count(news?.answered ?? 0, "news source"),
  }
  return factOf(
    { kind: "coverage", topic: "coverage", section: "watch" },
    values,
    (spell) =>
      spell`This digest covers ${"startsAt"} to ${"endsAt"}: ${"markets"}, ${"wallets"}, ${"sources"}.`,
  )
}

function gap(
  section: DigestSection,
  values: Parameters<typeof factOf>[1],
  statement: Parameters<typeof factOf>[2],
): ReadonlyArray<NewDigestFact> {
  return [
    factOf({ kind: "coverage", topic: "gap", section, negative: true }, values, statement),
  ]
}

/** Present only when the venue was not read recently, or no market was watched. */
function readingFact({ coverage, until }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  const { marketsWatched, venueReadAt } = coverage
  if (venueReadAt === null) {
    return gap(
      "repriced",
      {},
      () =>
        "The venue was not read at all, so a quiet digest does not mean that the markets were quiet.",
    )
  }
  if (marketsWatched === 0) {
    return gap(
      "repriced",
      {},
      () => "No market was watched.",
    )
  }
  if (until - venueReadAt <= readingAgeMax) return []
  const values = { at: time(venueReadAt, until) }
  return gap(
    "repriced",
    values,
    (spell) => spell`The venue was last read at ${"at"}; later changes are missing.`,
  )
}

function walletsFact({ coverage }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  if (coverage.missing.includes("whales")) {
    return gap(
      "whales",
      {},
      () => "The tracked wallets and the ends of their markets could not be read.",
    )
  }
  return coverage.walletsTracked > 0 ? [] : gap(
    "whales",
    {},
    () => "No wallet is tracked yet.",
  )
}

function newsFact({ coverage: { missing, news } }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  const of = (statement: string) => gap("context", {}, () => statement)
  if (missing.includes("news")) {
    return of("The news could not be read, so this digest cannot say why prices moved.")
  }
  if (news === null || news.sources === 0) {
    return of(
      "News is off, so this digest cannot say why prices moved.",
    )
  }
  const { answered, sources } = news
  if (answered >= sources) return []
  const values = {
    sources: count(sources, "news source"),
    silent: count(sources - answered, "news source"),
  }
  return gap(
    "context",
    values,
    (spell) =>
      answered === 0 ? spell`None of ${"sources"} answered.` : spell`${"silent"} did not answer.`,
  )
}

function partFact(
  { coverage: { missing } }: DigestMaterial,
  part: "upcoming" | "quotes",
  statement: string,
): ReadonlyArray<NewDigestFact> {
  return missing.includes(part) ? gap("watch", {}, () => statement) : []
}

function unreadFact({ coverage: { itemsUnread } }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  if (itemsUnread === 0) return []
  const values = { items: count(itemsUnread, "feed item") }
  return gap(
    "watch",
    values,
    (spell) => spell`${"items"} beyond its limit are left out.`,
  )
}
