/**
 * The facts of a digest about itself: what it covers, what could not be read, and how to read its words
 * and figures.
 *
 * @module
 */
import { eventsMin, resolvedEntriesMin } from "../../whales/domain/label.ts"
import type { DigestSection } from "./digest.ts"
import { type FactAttributes, factOf, type NewDigestFact } from "./factBuilders.ts"
import type { DigestMaterial } from "./material.ts"
import { depthUsdMin, volumeUsdMin } from "../../markets/domain/quality.ts"
import {
  countFigure,
  durationFigure,
  timeFigure,
  usdFigure,
  whenFigure,
} from "../../writing/domain/figures.ts"
import { figure, joined, phrase, type Statement } from "../../writing/domain/statement.ts"
import { minute } from "../../core/domain/time.ts"

/** The venue is read every ten minutes; an older reading means that something may be missing. */
const readingAgeMax = 30 * minute

function coverage(section: DigestSection): FactAttributes {
  return { kind: "coverage", topic: "coverage", section }
}

/** What was read. Never empty; every section except the last has at least one fact. */
export function coverageFacts(
  material: DigestMaterial,
): readonly [NewDigestFact, ...ReadonlyArray<NewDigestFact>] {
  const { marketsWatched } = material.coverage
  const watched = figure(countFigure(marketsWatched, "market"))
  return [
    windowFact(material),
    factOf(
      coverage("repriced"),
      marketsWatched === 0
        ? phrase`No market was watched, so this digest says nothing about price moves.`
        : phrase`The prices of ${watched} were watched.`,
    ),
    ...readingFact(material),
    ...walletsFacts(material),
    detectorFact(material),
    newsFact(material),
    ...upcomingFact(material),
    ...unreadFact(material),
  ]
}

function windowFact({ from, until }: DigestMaterial): NewDigestFact {
  const when = phrase`from ${figure(timeFigure(from))} to ${figure(whenFigure(until, from))}`
  const short = phrase`This digest covers ${figure(durationFigure(until - from))}, ${when}.`
  const whole = phrase`It counts everything that was seen and describes the strongest of each kind.`
  return factOf(coverage("repriced"), joined([short, whole]), short)
}

/** Present only when the venue was not read recently. */
function readingFact({ coverage: { venueReadAt }, from, until }: DigestMaterial) {
  if (venueReadAt !== null && until - venueReadAt <= readingAgeMax) return []
  const statement = venueReadAt === null
    ? phrase`The venue was not read at all, so a quiet digest does not mean that the markets were quiet.`
    : phrase`The venue was last read in full at ${figure(whenFigure(venueReadAt, until))}, ${
      venueReadAt < from
        ? "before this digest begins"
        : phrase`${figure(durationFigure(until - venueReadAt))} before this digest ends`
    }; later changes are missing.`
  return [factOf(coverage("repriced"), statement)]
}

function walletsFacts({ coverage: { missing, walletsTracked } }: DigestMaterial) {
  if (missing.includes("whales")) {
    return [
      factOf(coverage("whales"), phrase`The list of tracked wallets could not be read.`),
      factOf(coverage("predetermined"), phrase`The outcomes of ended markets could not be read.`),
    ]
  }
  const tracked = figure(countFigure(walletsTracked, "wallet"))
  const statement = walletsTracked === 0
    ? phrase`No wallet is tracked yet, so this digest says nothing about what wallets bought.`
    : phrase`The entries of ${tracked} are tracked; the entries of other wallets are not.`
  return [factOf(coverage("whales"), statement)]
}

function detectorFact({ coverage: { detector } }: DigestMaterial): NewDigestFact {
  return factOf(
    coverage("predetermined"),
    detector === "rules"
      ? phrase`Rules searched for proposed outcomes at a contested price; they read only what the venue publishes, not the news.`
      : phrase`A model searched for predetermined outcomes and had to name its evidence; where it did not answer, nothing is reported.`,
  )
}

function newsFact({ coverage: { missing, news } }: DigestMaterial): NewDigestFact {
  if (missing.includes("news")) {
    const unread = phrase`The news could not be read, so this digest cannot say why a price moved.`
    return factOf(coverage("context"), unread)
  }
  const off =
    phrase`News is off: no headline was read, so this digest cannot say why a price moved.`
  if (news === null || news.sources === 0) return factOf(coverage("context"), off)
  const { answered, sources } = news
  const all = figure(countFigure(sources, "news source"))
  if (answered === 0) {
    return factOf(
      coverage("context"),
      phrase`Headlines were requested from ${all}, without any answer.`,
    )
  }
  if (answered >= sources) {
    return factOf(
      coverage("context"),
      phrase`Headlines were requested from ${all}, and every source answered.`,
    )
  }
  const silent = figure(countFigure(sources - answered, "source"))
  return factOf(
    coverage("context"),
    phrase`Headlines were requested from ${all}; ${silent} did not answer, so headlines may be missing.`,
  )
}

function upcomingFact({ coverage: { missing } }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  if (!missing.includes("upcoming")) return []
  return [
    factOf(
      coverage("watch"),
      phrase`The markets that resolve soon could not be read.`,
    ),
  ]
}

function unreadFact({ coverage: { itemsUnread } }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  if (itemsUnread === 0) return []
  const items = figure(countFigure(itemsUnread, "item"))
  const statement = phrase`The feed has ${items} that ${
    itemsUnread === 1
      ? "was not read, and every count here leaves it"
      : "were not read, and every count here leaves them"
  } out.`
  return [factOf(coverage("repriced"), statement)]
}

/**
 * How to read the digest. The first fact of each section is in every digest. The others are used when
 * there is room, so that a digest of a quiet window is long enough.
 */
export function methodFacts(): ReadonlyArray<NewDigestFact> {
  return methods.map(([section, statement]) =>
    factOf({ kind: "method", topic: "method", section }, statement)
  )
}

const usd = (amount: number): Statement => figure(usdFigure(amount))

const methods: ReadonlyArray<readonly [DigestSection, Statement]> = [
  [
    "repriced",
    phrase`A move is reported only when it is larger than usual for its market and its new price was stable, and only in a market with at least ${
      usd(volumeUsdMin)
    } of volume and ${usd(depthUsdMin)} of depth near the price.`,
  ],
  [
    "whales",
    phrase`A label needs at least ${
      figure(countFigure(resolvedEntriesMin, "entry", "entries"))
    } in ended markets, from ${
      figure(countFigure(eventsMin, "event"))
    } or more, counted as held to resolution; neutral means that, after fees, the record is not shown to differ from the prices paid. Most wallets are neutral.`,
  ],
  [
    "predetermined",
    phrase`The venue may still judge an outcome of this section differently.`,
  ],
  [
    "context",
    phrase`A headline from the same hours as a move is listed with it; it is not known whether it caused the move.`,
  ],
  [
    "watch",
    phrase`The time at which a market resolves is an estimate from past markets; the payout may come later.`,
  ],
  [
    "repriced",
    phrase`Where prices were watched, a window without a move means that they stayed within their usual range; it does not mean that nothing happened.`,
  ],
  [
    "whales",
    phrase`Exits are not tracked: an entry shows what a wallet bought, not what it still holds.`,
  ],
  [
    "predetermined",
    phrase`Each finding names its evidence, and when the market ends it is scored in the public record, mistakes included.`,
  ],
  [
    "context",
    phrase`Headlines are matched to a market by their words alone, so a match may be about something else.`,
  ],
  [
    "watch",
    phrase`The next digest covers what happens next; until then the feed publishes every move and entry as it is seen.`,
  ],
  [
    "repriced",
    phrase`A share pays ${
      usd(1)
    } if its outcome happens, so its price can be read as a probability. Moves are ordered by their size and by the money in the market.`,
  ],
  [
    "whales",
    phrase`A win rate says little by itself: at fair prices it is close to the mean entry price, and only the difference between them suggests skill.`,
  ],
  [
    "context",
    phrase`Headlines are quoted but not checked: their claims are those of their publishers.`,
  ],
  [
    "watch",
    phrase`Nothing here is advice to buy or to sell; it is information about prices, and prices can be wrong.`,
  ],
  [
    "repriced",
    phrase`Mechanical markets, which open a new bet on some price every few minutes or hours, are left out: they move by design.`,
  ],
  [
    "whales",
    phrase`A label uses only the record before the entry, so it does not depend on anything that came later.`,
  ],
  [
    "watch",
    phrase`A price is contested while it is far from both ends of its range, and converged when it is close to either end.`,
  ],
]
