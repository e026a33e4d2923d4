/**
 * Facts about headlines: what was printed, by whom, when, and before or after the move.
 *
 * Without a model's reading a headline is one that shares words with the question: it has no cause and
 * no direction.
 *
 * @module
 */
import { day, type EpochMs, hour } from "../../core/domain/time.ts"
import { phrase, type Statement } from "../domain/statement.ts"
import {
  type About,
  count,
  duration,
  factOf,
  named,
  type NewFact,
  outcomeOf,
  price,
  time,
  unnamed,
  word,
} from "./fact.ts"

/** A story as its earliest publication, and what a model read in it. */
export interface PrintedStory {
  readonly title: string
  readonly url: string
  readonly source: string
  readonly firstAt: EpochMs
  readonly outlets: ReadonlyArray<{ readonly source: string; readonly publishedAt: EpochMs }>
  readonly corrected: boolean
  /** Whether its words are of the end. */
  readonly isOfEnd?: boolean
  /** How long after the market's deadline; absent for one from before it. */
  readonly afterMs?: number
  readonly reading: {
    readonly bears: "for" | "against" | null
    readonly decides: boolean
    readonly outcome: string | null
  } | null
}

/** The outcome that a model read an uncorrected story as pointing to; null for none. */
export function readFor(
  { corrected, reading }: Pick<PrintedStory, "corrected" | "reading">,
  outcomes: readonly [string, string],
): 0 | 1 | null {
  if (corrected || reading === null || reading.bears === null) return null
  return (reading.bears === "for") === (reading.outcome === outcomes[1]) ? 1 : 0
}

/** A story this long before a step may still be its cause. */
export const causeLagMax = 6 * hour

/** Where a headline stands to the move of a text; one more than a day from it has no place. */
export interface Placed {
  readonly position: "before" | "inside" | "after"
  /** To the end of the step, or to the nearer end of a move without a step. */
  readonly lagMs: number
  /** Whether the move has a step. */
  readonly isStep: boolean
}

/**
 * `“Title” (The Harbor Ledger, 13:52 UTC, 2 more outlets), 27 minutes before the step was seen.` Of several
 * that no model has read, `isFirst` names how they were found.
 */
export function headlineFact(
  about: About,
  story: PrintedStory,
  placed: Placed | "before kick-off" | null,
  now: EpochMs,
  isFirst: boolean = true,
): NewFact {
  const place = placed === null || typeof placed === "object" && placed.lagMs > day
    ? phrase``
    : phrase`, ${typeof placed === "string" ? word("order", placed) : placeWords(placed)}`
  const cited = citation(story, now)
  return factOf(
    "news",
    about.slug,
    story.reading === null
      ? phrase`${isFirst ? "Our word match found" : "It also found"} ${cited}${place}.`
      : phrase`${cited}${readingWords(about, story)}${place}.`,
    { links: [story.url] },
  )
}

/** What publishers report of the end of a market. */
export interface Reported {
  readonly outcome: 0 | 1
  /** Publishers. */
  readonly outlets: number
  readonly newestAt: EpochMs
}

/** What the stories that decide the question report; null for nothing. */
export function reportedIn(
  stories: ReadonlyArray<PrintedStory>,
  outcomes: readonly [string, string],
): Reported | null {
  const decisive = stories.filter(({ reading }) => reading?.decides === true)
  const printed = decisive.flatMap(({ outlets }) => outlets)
  return printed.length === 0 ? null : {
    outcome: decisive[0]?.reading?.outcome === outcomes[1] ? 1 : 0,
    outlets: new Set(printed.map(({ source }) => source)).size,
    newestAt: Math.max(...printed.map(({ publishedAt }) => publishedAt)),
  }
}

/** `Yes in “…” is reported by 3 outlets, and priced at 0.67.` */
export function reportedFact(about: About, { outcome, outlets }: Reported, mid: number): NewFact {
  return factOf(
    "predetermined",
    about.slug,
    phrase`${outcomeOf(about, outcome)} is reported by ${
      count("outlets", outlets, "outlet")
    }, and priced at ${price("price", mid)}.`,
  )
}

/** A headline that a model read for the side of a text's lead, or for the other one. */
export function sideStoryFact(
  about: About,
  side: "For" | "Against",
  story: PrintedStory,
  outcome: 0 | 1,
  now: EpochMs,
): NewFact {
  return factOf(
    "news",
    about.slug,
    phrase`${side} it, model-read for ${outcomeOf(unnamed(about), outcome)}: ${
      citation(story, now)
    }.`,
    { links: [story.url] },
  )
}

/** Only where the news was read. `later`: the first headline within `causeLagMax` after it. */
export function noCauseFact(
  about: About,
  later: { readonly story: PrintedStory; readonly placed: Placed } | null,
  now: EpochMs,
): NewFact {
  const none = phrase`none found by our match in the ${duration("window", causeLagMax)} before`
  return factOf(
    "news",
    about.slug,
    later === null
      ? phrase`Cause: ${none}.`
      : phrase`First headline: ${citation(later.story, now)}, ${
        placeWords(later.placed)
      }; ${none} the move.`,
    { links: later === null ? [] : [later.story.url] },
  )
}

/** All configured sources answered. No window: what they printed before the first read is unknown. */
export function noHeadlineFact(about: About, sources: number): NewFact {
  return factOf(
    "news",
    about.slug,
    phrase`Our word match found no headline in ${count("sources", sources, "source")}.`,
  )
}

/** Not every source answered, or none could be read. */
export function newsGapFact(about: About, missing: number | null): NewFact {
  return factOf(
    "news",
    about.slug,
    missing === null
      ? phrase`The news could not be read.`
      : phrase`${count("missing", missing, "news source")} did not answer lately.`,
  )
}

function placeWords({ position, lagMs, isStep }: Placed): Statement {
  if (position === "inside") return word("order", "while the price moved")
  const order = word("order", position)
  return phrase`${duration("lag", lagMs)} ${order} the ${
    isStep ? "step was seen" : position === "before" ? "move began" : "move"
  }`
}

function readingWords(about: About, { reading }: PrintedStory): Statement {
  const bears = reading?.bears ?? null
  if (bears === null) return phrase`, model-read for neither side`
  const side = outcomeOf(unnamed(about), reading?.outcome === about.outcomes[1] ? 1 : 0)
  return phrase`, model-read ${bears} ${side}`
}

/** `“Title” (The Harbor Ledger, 13:52 UTC, 2 more outlets, 3 hours after the deadline)` */
export function citation(
  { afterMs, title, source, firstAt, outlets, corrected }: PrintedStory,
  now: EpochMs,
) {
  const others = outlets.length - 1
  const since = others > 0 ? phrase`, ${count("outlets", others, "more outlet")}` : phrase``
  const late = afterMs === undefined
    ? phrase``
    : phrase`, ${duration("after", afterMs)} after the deadline`
  return phrase`${named("headline", title)} (${named("publisher", source)}, ${
    time("publishedAt", firstAt, now)
  }${since}${corrected ? ", corrected since" : ""}${late})`
}
