/**
 * What a digest states of itself: how much of the world it saw, what it did not look at, and how its
 * words and figures are to be read.
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

/** The venue is read every ten minutes: a reading older than three of those leaves something out. */
const readingAgeMax = 30 * minute

function coverage(section: DigestSection): FactAttributes {
  return { kind: "coverage", topic: "coverage", section }
}

/** What was looked at. Never empty, and something for each section but the last. */
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
        ? phrase`No price was kept, so nothing here speaks of what the markets did.`
        : phrase`The prices of ${watched} were kept.`,
    ),
    ...readingFact(material),
    ...walletsFacts(material),
    detectorFact(material),
    newsFact(material),
    ...upcomingFact(material),
    ...unreadFact(material),
  ]
}

/** Where the digest begins and ends. */
function windowFact({ from, until }: DigestMaterial): NewDigestFact {
  const when = phrase`from ${figure(timeFigure(from))} to ${figure(whenFigure(until, from))}`
  const short = phrase`This digest covers ${figure(durationFigure(until - from))}, ${when}.`
  const whole = phrase`It counts all that was seen, and tells the strongest of each kind.`
  return factOf(coverage("repriced"), joined([short, whole]), short)
}

/** Said only where the venue was not read to the end. */
function readingFact({ coverage: { venueReadAt }, from, until }: DigestMaterial) {
  if (venueReadAt !== null && until - venueReadAt <= readingAgeMax) return []
  const statement = venueReadAt === null
    ? phrase`The venue was not read at all, so a quiet page here is no sign of quiet markets.`
    : phrase`The venue was last read in full at ${figure(whenFigure(venueReadAt, until))}, ${
      venueReadAt < from
        ? "before this digest begins"
        : phrase`${figure(durationFigure(until - venueReadAt))} before this digest ends`
    }; what came after is not in it.`
  return [factOf(coverage("repriced"), statement)]
}

function walletsFacts({ coverage: { missing, walletsTracked } }: DigestMaterial) {
  if (missing.includes("whales")) {
    return [
      factOf(coverage("whales"), phrase`Which wallets are tracked could not be read.`),
      factOf(coverage("predetermined"), phrase`How markets ended could not be read.`),
    ]
  }
  const followed = figure(countFigure(walletsTracked, "wallet"))
  const statement = walletsTracked === 0
    ? phrase`No wallet is tracked yet, so nothing here speaks of what anybody bought.`
    : phrase`The entries of ${followed} are followed; what others bought was not looked at.`
  return [factOf(coverage("whales"), statement)]
}

function detectorFact({ coverage: { detector } }: DigestMaterial): NewDigestFact {
  const how = detector === "rules"
    ? "by rules that read the word of the venue alone; news was not read for it"
    : "by a model, from evidence that it had to name; where it did not answer, nothing is said"
  return factOf(
    coverage("predetermined"),
    phrase`Whether an outcome exists already was judged ${how}.`,
  )
}

function newsFact({ coverage: { missing, news } }: DigestMaterial): NewDigestFact {
  if (missing.includes("news")) {
    const unread =
      phrase`What news there was could not be read, so nothing here says why a price moved.`
    return factOf(coverage("context"), unread)
  }
  const off =
    phrase`News is off: no headline was looked at, so nothing here says why a price moved.`
  if (news === null || news.sources === 0) return factOf(coverage("context"), off)
  const { answered, sources } = news
  const all = figure(countFigure(sources, "news source"))
  if (answered === 0) {
    return factOf(coverage("context"), phrase`News was asked of ${all}, without any answer.`)
  }
  if (answered >= sources) {
    return factOf(coverage("context"), phrase`News was asked of ${all}, and none failed to answer.`)
  }
  const silent = figure(countFigure(sources - answered, "source"))
  return factOf(
    coverage("context"),
    phrase`News was asked of ${all}; ${silent} did not answer, and what these reported is not known.`,
  )
}

function upcomingFact({ coverage: { missing } }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  if (!missing.includes("upcoming")) return []
  return [factOf(coverage("watch"), phrase`Which markets end soon could not be read.`)]
}

function unreadFact({ coverage: { itemsUnread } }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  if (itemsUnread === 0) return []
  const items = figure(countFigure(itemsUnread, "item"))
  const statement = phrase`The feed held ${items} more than were read: every count here leaves ${
    itemsUnread === 1 ? "it" : "them"
  } out.`
  return [factOf(coverage("repriced"), statement)]
}

/**
 * How to read the rest. The first of each section stands in every digest; the others where there is
 * room: together they fill the page of a window in which nothing happened.
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
    phrase`A move is told only in a market with at least ${usd(volumeUsdMin)} of volume and ${
      usd(depthUsdMin)
    } of depth near the price, and only when it is far larger than is usual there.`,
  ],
  [
    "whales",
    phrase`A label needs at least ${
      figure(countFigure(resolvedEntriesMin, "entry", "entries"))
    } held to the end in ${
      figure(countFigure(eventsMin, "event"))
    }; neutral means that luck is enough to explain the record, and most wallets are neutral.`,
  ],
  [
    "predetermined",
    phrase`An outcome that exists already may still be read another way by the venue.`,
  ],
  [
    "context",
    phrase`A report in the same hours as a move stands beside it here; whether it is the cause is not known.`,
  ],
  ["watch", phrase`An end is told as the venue planned it; the payout may come later.`],
  [
    "repriced",
    phrase`Where prices were kept, a window without a move means that they stayed within what is usual for them; it does not mean that nothing happened.`,
  ],
  [
    "whales",
    phrase`Exits are not tracked: an entry says what a wallet bought, and not what it still holds.`,
  ],
  [
    "predetermined",
    phrase`Such a finding is told with its evidence, and when the market ends it is scored in the public record, mistakes included.`,
  ],
  [
    "context",
    phrase`Headlines are matched to a market by their words alone, so a match may be about another matter.`,
  ],
  [
    "watch",
    phrase`The next digest looks at what came of these prices; until then the feed tells every move and entry as it is seen.`,
  ],
  [
    "repriced",
    phrase`A price is what a share costs that pays ${
      usd(1)
    } if its outcome comes about, so it reads as a chance. Moves are ordered by their size and by the money in the market.`,
  ],
  [
    "whales",
    phrase`A win rate says little by itself: where prices are fair it is close to the mean entry price, and only the distance between them speaks of skill.`,
  ],
  [
    "context",
    phrase`Headlines are quoted and not checked: what they claim is the word of their publisher.`,
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
    phrase`A label is shown as it stood before the entry, so that nothing of what came later is in it.`,
  ],
  [
    "watch",
    phrase`A price is called contested while it is far from both ends, and converged when it is near to either of them.`,
  ],
]
