/**
 * Whether what a claim says about the order of two times is true of the cited facts: before, after, later,
 * earlier, within.
 *
 * @module
 */
import type { Fact } from "../facts.ts"
import { type Context, type Findings, isOwnPair } from "./context.ts"
import type { Figure } from "./figures.ts"
import { slotBase } from "./names.ts"
import { isConditional } from "./directions.ts"
import { directionOf } from "./words.ts"
import { minute } from "../../../core/domain/time.ts"

/** What happened at a time: the kinds of facts and the slots that know it. */
type Event = "news" | "move" | "entry" | "proposal" | "resolution" | "end"

const eventWords: ReadonlyMap<string, Event> = new Map([
  ...[
    "headline",
    "headlines",
    "news",
    "report",
    "reports",
    "reported",
    "published",
    "poll",
    "story",
    "publication",
    "article",
    "outlet",
    "outlets",
    "carried",
    "coverage",
  ].map((word) => [word, "news"] as const),
  ...["move", "moved", "price", "step", "seen", "repricing"].map((word) => [word, "move"] as const),
  ...["bought", "entry", "entries", "purchase", "fill", "wallet"].map((word) =>
    [word, "entry"] as const
  ),
  ...["proposed", "proposal"].map((word) => [word, "proposal"] as const),
  ...["resolved", "resolution", "settled", "payout"].map((word) => [word, "resolution"] as const),
  ...["end", "ends", "due", "resolve", "resolves", "scheduled"].map((word) =>
    [word, "end"] as const
  ),
])

const events: ReadonlyArray<Event> = ["news", "move", "entry", "proposal", "resolution", "end"]

const slotsOf: Readonly<
  Record<Event, readonly [ReadonlyArray<string>, ReadonlyArray<Fact["kind"]>]>
> = {
  news: [["publishedAt"], ["news", "mover", "predetermined"]],
  move: [["at"], ["mover", "price", "market"]],
  entry: [["at", "lastAt"], ["whale_entry", "whale"]],
  proposal: [["proposedAt"], ["predetermined", "market", "rules"]],
  resolution: [["at"], ["resolution"]],
  end: [["endsAt"], ["upcoming", "market"]],
}

const relations: ReadonlyMap<string, "before" | "after"> = new Map([
  ...["before", "earlier", "preceded", "precedes", "preceding", "ahead"].map((word) =>
    [word, "before"] as const
  ),
  ...["after", "later", "followed", "follows", "following", "since"].map((word) =>
    [word, "after"] as const
  ),
])

export function checkTimes(context: Context, findings: Findings): void {
  context.tokens.forEach((token, at) => {
    const relation = token.kind === "word" ? relations.get(token.lower) : undefined
    if (relation === undefined) return
    if (isOwnPair(context, at)) findings.confirmed.add(at)
    else checkRelation(context, at, relation, findings)
  })
}

function checkRelation(
  context: Context,
  at: number,
  relation: "before" | "after",
  findings: Findings,
): void {
  const { tokens } = context
  const isFirst = tokens[at]?.opens === true || tokens[at - 1]?.text === ","
  const [left, right] = [eventBefore(context, at), eventAfter(context, at)]
  const first = isFirst && left === null ? eventAfterComma(context, at) : left
  const isOpen = right === null && isEndOfPhrase(context, at)
  const second = isOpen && first !== null ? otherEvent(context, first) : right
  const lower = tokens[at]?.lower ?? ""
  if (right === null && !isOpen && !isConditional(context, at)) {
    findings.refused.push(`no cited fact has what is “${lower}”`)
    return
  }
  if (right !== null && right.times.length === 0 && !isConditional(context, at)) {
    findings.refused.push(`no cited time for what is “${lower}”`)
    return
  }
  if (first === null || second === null || first.event === second.event) {
    findings.asked.push(`order in time: ${lower}`)
    return
  }
  // `B followed A`: B came later; `A preceded B`: A came first.
  const gaps = first.times.flatMap((a) => second.times.map((b) => b - a))
  const agreeing = gaps.filter((gap) => relation === "before" ? gap > 0 : gap < 0)
  if (gaps.length === 0) {
    findings.asked.push(`order in time: ${lower}`)
  } else if (agreeing.length === 0) {
    findings.refused.push(`the cited times are not in this order: “${lower}”`)
  } else if (isOtherLag(context, at, agreeing)) {
    findings.refused.push(`the time between them is not what the claim says`)
  } else {
    const lag = lagBefore(context, at)
    for (let n = lag?.first ?? at; n <= at; n++) findings.confirmed.add(n)
  }
}

/** The only other kind of event that the cited facts have a time of. */
function otherEvent({ cited }: Context, { event }: Found): Found | null {
  const others = events.filter((other) => other !== event)
    .map((other) => ({ event: other, times: timesOf(cited, other) }))
    .filter(({ times }) => times.length > 0)
  return others.length === 1 ? others[0] ?? null : null
}

/** Whether nothing follows that says what came before or after: `an hour later.`, `after it` */
function isEndOfPhrase({ tokens, figureAt }: Context, at: number): boolean {
  const next = tokens[at + 1]
  return next === undefined || next.kind === "mark" || figureAt.has(at + 1) ||
    /^(?:it|that|this|them|and|or|than|then|today|in|known)$/.test(next.lower)
}

interface Found {
  readonly event: Event
  readonly times: ReadonlyArray<number>
}

/** A duration directly before the relation: `an hour before`. */
function lagBefore({ figures }: Context, at: number): Figure | undefined {
  return figures.find(({ last, unit }) => unit === "duration" && (last === at - 1))
}

/** A time between two events is rounded correctly, and to no more than this share of it. */
const lagTolerance = 0.2

function isOtherLag(context: Context, at: number, gaps: ReadonlyArray<number>): boolean {
  const lag = lagBefore(context, at)
  if (lag === undefined) return false
  const slack = (gap: number) => Math.max(Math.min(lagTolerance * gap, lag.step / 2), minute)
  return !gaps.some((gap) => Math.abs(Math.abs(gap) - lag.value) <= slack(Math.abs(gap)))
}

/** Tokens on either side of a relation that are read for what it relates. */
const eventWithin = 14

function eventBefore(context: Context, at: number): Found | null {
  for (let n = at - 1; n >= Math.max(0, at - eventWithin); n--) {
    if (context.tokens[n]?.sentence !== context.tokens[at]?.sentence) break
    const found = eventOf(context, n)
    if (found !== null) return found
  }
  return null
}

function eventAfter(context: Context, at: number): Found | null {
  for (let n = at + 1; n <= at + eventWithin; n++) {
    const token = context.tokens[n]
    if (token?.sentence !== context.tokens[at]?.sentence || /^[;:]$/.test(token?.text ?? "")) break
    const found = eventOf(context, n)
    if (found !== null) return found
  }
  return null
}

function eventAfterComma(context: Context, at: number): Found | null {
  const comma = context.tokens.findIndex(({ text }, n) => n > at && text === ",")
  return comma < 0 ? null : eventAfter(context, comma)
}

function eventOf(context: Context, at: number): Found | null {
  const token = context.tokens[at]
  if (token === undefined) return null
  const event = token.kind === "word" && token.refs.length === 0
    ? eventWords.get(token.lower) ?? (directionOf(token.lower) === undefined ? undefined : "move")
    : token.refs.some((ref) => ref.class === "source") &&
        !token.refs.some((ref) => ref.class === "market")
    ? "news"
    : undefined
  return event === undefined ? null : { event, times: timesOf(context.cited, event) }
}

function timesOf(cited: ReadonlyArray<Fact>, event: Event): ReadonlyArray<number> {
  const [slots, kinds] = slotsOf[event]
  return cited.filter(({ kind }) => kinds.includes(kind)).flatMap(({ values }) =>
    Object.entries(values).flatMap(([slot, value]) =>
      value.type === "time" && slots.includes(slotBase(slot)) ? [value.at] : []
    )
  )
}
