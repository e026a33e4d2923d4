/**
 * Whether what a claim says about the order of two times is true of the cited facts: before, after, later,
 * earlier, within.
 *
 * @module
 */
import type { Fact } from "../facts.ts"
import { type Context, type Findings, stem } from "./context.ts"
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

type Relation = "before" | "after"

const relations: ReadonlyMap<string, Relation> = new Map([
  ...["before", "earlier", "preceded", "precedes", "preceding", "ahead"].map((word) =>
    [word, "before"] as const
  ),
  ...["after", "later", "followed", "follows", "following", "since"].map((word) =>
    [word, "after"] as const
  ),
])

/** Words that join two events, and the order of the first to the second; null when it may be any. */
const joints: ReadonlyMap<string, Relation | null> = new Map([
  ...["then", "until", "till"].map((word) => [word, "before"] as const),
  ...["when", "as", "while", "once", "upon"].map((word) => [word, null] as const),
])

export function checkTimes(context: Context, findings: Findings): void {
  checkLags(context, findings)
  context.tokens.forEach((token, at) => {
    const joint = token.kind === "word" ? joints.get(token.lower) : undefined
    if (joint !== undefined) checkJoint(context, at, joint, findings)
    const named = token.kind === "word" ? relations.get(token.lower) : undefined
    if (named === undefined) return
    // `A was followed by B`: B came later.
    const isPassive = /^(?:followed|preceded)$/.test(token.lower) &&
      context.tokens[at + 1]?.lower === "by"
    const turned = named === "before" ? "after" : "before"
    checkRelation(context, at, isPassive ? turned : named, findings)
  })
}

/** The time between a headline and another event says nothing without the order of the two. */
function checkLags({ cited, figures, tokens }: Context, findings: Findings): void {
  const lags = cited.flatMap(({ values: { lag, order } }) =>
    lag?.type === "duration" && order !== undefined ? [lag.ms] : []
  )
  for (const { first, step, unit, value } of figures) {
    const isLag = unit === "duration" && lags.some((lag) => Math.abs(lag - value) <= step / 2)
    const isOrdered = tokens.some(({ lower, sentence }) =>
      sentence === tokens[first]?.sentence && relations.has(lower)
    )
    if (isLag && !isOrdered) findings.asked.push("order in time: a time between two events")
  }
}

/** `a headline, then a move`: asked unless a fact has this order. */
function checkJoint(
  context: Context,
  at: number,
  order: Relation | null,
  findings: Findings,
): void {
  const second = eventAfter(context, at)
  const [first] = eventsBefore(context, at)
  const left = first ?? eventAfterComma(context, at)
  if (second === null || left === null || left.event === second.event) return
  if (left.event !== "news" && second.event !== "news") return
  const isTrue = order !== null && first !== undefined &&
    orderOf(context, at, order, [first, second]) === "same"
  if (!isTrue) findings.asked.push(`order in time: ${context.tokens[at]?.lower}`)
}

function checkRelation(
  context: Context,
  at: number,
  relation: Relation,
  findings: Findings,
): void {
  const lower = context.tokens[at]?.lower ?? ""
  if (isOwnObject(context, at)) {
    findings.confirmed.add(at)
    return
  }
  const isPronoun = isOfPronoun(context, at)
  if (isPronoun && hasEventAfter(context, at)) {
    // `2 hours later, B`: what comes next is what came later, or what came first.
    findings.asked.push(`order in time: ${lower}`)
    return
  }
  const right = isPronoun ? null : eventAfter(context, at)
  const isOpen = right === null && (isPronoun || isEndOfPhrase(context, at))
  const before = eventsBefore(context, at)
  const comma = before.length === 0 ? eventAfterComma(context, at) : null
  const firsts = comma === null ? before : [comma]
  const [first] = firsts
  const second = isOpen && first !== undefined ? otherEvent(context, first) : right
  const isKnown = isConditional(context, at) || isOpen
  if (right === null && !isKnown) {
    findings.refused.push(`no cited fact has what is “${lower}”`)
    return
  }
  const isUntimed = right?.times.length === 0 && !isKnown
  if (first === undefined || second === null || first.event === second.event) {
    if (isUntimed) findings.refused.push(`no cited time for what is “${lower}”`)
    else findings.asked.push(`order in time: ${lower}`)
    return
  }
  const [order, ...others] = firsts.filter(({ event }) => event !== second.event)
    .map((other) => orderOf(context, at, relation, [other, second]))
  if (order === "untimed" && isUntimed) {
    findings.refused.push(`no cited time for what is “${lower}”`)
  } else if (order === "other") {
    findings.refused.push(`the cited times are not in this order: “${lower}”`)
  } else if (order === "other lag") {
    findings.refused.push(`the time between them is not what the claim says`)
  } else if (order !== "same" || others.includes("other") || isDenied(context, at)) {
    findings.asked.push(`order in time: ${lower}`)
  } else {
    const lag = lagBefore(context, at)
    for (let n = lag?.first ?? at; n <= at; n++) findings.confirmed.add(n)
  }
}

/** What the cited facts say of an order: the same, another, another time between, or nothing sure. */
type Order = "same" | "other" | "other lag" | "untimed" | "unsure"

/** Whether the first event came before or after the second. What a fact states counts before the times. */
function orderOf(
  context: Context,
  at: number,
  relation: Relation,
  [first, second]: readonly [Found, Found],
): Order {
  const stated = statedOrders(context, at, first.event, second.event)
  const isMixed = new Set(stated.map(({ order }) => order)).size > 1
  if (isMixed || stated.some(({ order }) => order === "during")) return "unsure"
  if (stated.some(({ order }) => order !== relation)) return "other"
  const gaps = first.times.flatMap((a) => second.times.map((b) => b - a))
  const agreeing = stated.length > 0
    ? stated.map(({ lagMs }) => lagMs)
    : gaps.filter((gap) => relation === "before" ? gap > 0 : gap < 0)
  if (stated.length === 0 && gaps.length === 0) return "untimed"
  if (agreeing.length === 0) return "other"
  return isOtherLag(context, at, agreeing) ? "other lag" : "same"
}

interface StatedOrder {
  /** How the first event lies to the second. */
  readonly order: Relation | "during"
  readonly lagMs: number
}

const mirrored = { before: "after", after: "before", during: "during" } as const

/**
 * The orders of two events that the cited facts state. A fact about a headline says how the headline lies
 * to the move of its market, or, if it names a wallet, how the wallet's purchase lies to the headline.
 */
function statedOrders(
  context: Context,
  at: number,
  first: Event,
  second: Event,
): ReadonlyArray<StatedOrder> {
  return context.cited.flatMap((fact) => {
    const { lag, order, wallet } = fact.values
    if (fact.kind !== "news" || lag?.type !== "duration" || order?.type !== "word") return []
    const said = order.text
    if (said !== "before" && said !== "after" && said !== "during") return []
    const [own, other]: readonly [Event, Event] = wallet === undefined
      ? ["news", "move"]
      : ["entry", "news"]
    if (!isNamedWith(context, at, fact)) return []
    if (first === own && second === other) return [{ order: said, lagMs: lag.ms }]
    return first === other && second === own ? [{ order: mirrored[said], lagMs: lag.ms }] : []
  })
}

/** Whether every market and source named in the sentence is of this fact, if any is named. */
function isNamedWith({ mentions, tokens }: Context, at: number, fact: Fact): boolean {
  return (["market", "source"] as const).every((name) => {
    const named = mentions.filter((mention) =>
      mention.class === name && mention.sentence === tokens[at]?.sentence
    )
    return named.length === 0 || named.some(({ refs }) => refs.some((ref) => ref.fact === fact))
  })
}

/**
 * Whether a cited statement has the relation with the same words for what it relates, and these are no
 * event: `before fees`, `after a day`, `before this report`, `a later story`, `kept half an hour later`.
 */
function isOwnObject(context: Context, at: number): boolean {
  const { ownStems, tokens } = context
  const stemAt = (n: number) => stem(tokens[n]?.lower ?? "")
  const own = stemAt(at)
  const isArticle = /^(?:a|an|the|this|its|their)$/.test(tokens[at + 1]?.lower ?? "")
  const object = [own, stemAt(at + 1), ...isArticle ? [stemAt(at + 2)] : []]
  const noun = tokens[at + object.length - 1]
  const isAdverb = /^(?:later|earlier)$/.test(own)
  const isOfText = tokens[at + 1]?.lower === "this" && /^(?:report|digest)$/.test(noun?.lower ?? "")
  const isFree = isOfText || isAdverb || eventOf(context, at + object.length - 1) === null
  const lag = isAdverb ? lagBefore(context, at) : undefined
  const run = lag === undefined ? [] : [stemAt(lag.first - 1), stemAt(at - 1), own]
  return isFree && noun?.kind === "word" && ownStems.some((stems) => hasRun(stems, object)) ||
    run.length > 0 && isEndOfPhrase(context, at) && ownStems.some((stems) => hasRun(stems, run))
}

function hasRun(stems: ReadonlyArray<string>, run: ReadonlyArray<string>): boolean {
  return stems.some((_, from) => run.every((word, n) => stems[from + n] === word))
}

/** A denial at most so many tokens before a relation may deny it. */
const denialWithin = 6

function isDenied({ denials, tokens }: Context, at: number): boolean {
  return [...denials].some((n) =>
    n < at && n >= at - denialWithin && tokens[n]?.sentence === tokens[at]?.sentence
  )
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

/** Whether the relation names only one of its two events: `later`, `after it`. */
function isOfPronoun({ tokens }: Context, at: number): boolean {
  const next = tokens[at + 1]
  return /^(?:later|earlier)$/.test(tokens[at]?.lower ?? "")
    ? next?.lower !== "than"
    : next === undefined || /^(?:it|that|this|them|[.,;:])$/.test(next.lower) &&
        !eventWords.has(tokens[at + 2]?.lower ?? "")
}

function hasEventAfter(context: Context, at: number): boolean {
  const { sentence } = context.tokens[at] ?? {}
  return context.tokens.some((token, n) =>
    n > at && token.sentence === sentence && eventOf(context, n) !== null
  )
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

/** The nearest one first, each once. */
function eventsBefore(context: Context, at: number): ReadonlyArray<Found> {
  const found = new Map<Event, Found>()
  for (let n = at - 1; n >= Math.max(0, at - eventWithin); n--) {
    if (context.tokens[n]?.sentence !== context.tokens[at]?.sentence) break
    const event = eventOf(context, n)
    if (event !== null && !found.has(event.event)) found.set(event.event, event)
  }
  return [...found.values()]
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
