/**
 * The role that a sentence gives to a figure: in `from 0.345 to 0.485` the first is where the price was
 * and the second where it went. The words around the figure decide; a few closed patterns know them.
 *
 * @module
 */
import type { Context } from "./context.ts"
import type { Figure, Unit } from "./figures.ts"
import { directionOf, grammarWords } from "./words.ts"
import type { Fact } from "../facts.ts"
import { spelled } from "../values.ts"

/** Tokens before and after a figure that are read for its role. */
const leftMax = 13
const rightMax = 5

type Family = "price" | "usd" | "time" | "duration" | "count"

const families: Readonly<Record<Unit, Family>> = {
  bare: "price",
  cents: "price",
  percent: "price",
  points: "price",
  usd: "usd",
  clock: "time",
  date: "time",
  duration: "duration",
  deviations: "count",
  times: "count",
  ordinal: "count",
  degrees: "count",
}

/** A pattern on the words before (ending at) or after (beginning at) a figure, and the slots it allows. */
interface Rule {
  readonly left?: RegExp
  readonly right?: RegExp
  readonly slots: ReadonlyArray<string>
}

const filler = "(?: (?:of|is|was|were|at|a|an|the|about|roughly|around|nearly|only|just|to|:|-|@))*"
const starts = ["from", "edgeLow", "baseLow", "low"]
const ends = ["to", "edgeHigh", "baseHigh", "high"]
const now = ["price", "to", "bid", "ask", "entryPrice"]

const left = (pattern: string, slots: ReadonlyArray<string>): Rule => ({
  left: new RegExp(`(?:^| )(?:${pattern})${filler}$`, "u"),
  slots,
})
const right = (pattern: string, slots: ReadonlyArray<string>): Rule => ({
  right: new RegExp(`^(?:- )?(?:${pattern})(?: |$)`, "u"),
  slots,
})

/** A figure that is computed from two others. */
const differenceRules: ReadonlyArray<Rule> = [
  right(
    "(?:less|more|cheaper|dearer|higher|lower) than|(?:below|above|under|over) (?:the|its|what|where|par)",
    [
      "difference",
    ],
  ),
  right("of the (?:stake|price|sum|total|money)", ["difference"]),
]

/** What a figure is by the noun directly at it. */
const nounRules: ReadonlyArray<Rule> = [
  left("riskless(?: (?:profit|spread|gain))?", ["riskless"]),
  right("riskless|without risk|risk - free", ["riskless"]),
  left("spread", ["spread"]),
  right("spread", ["spread"]),
  left("(?:best )?bids?", ["bid"]),
  right("(?:best )?bid", ["bid"]),
  left("asks?|(?:best|the|an) offer", ["ask"]),
  right("(?:best )?(?:ask|offer)", ["ask"]),
  left("(?:buy|buying) at", ["ask", "entryPrice"]),
  left("(?:sell|selling) at", ["bid"]),
  left("(?:win|winning|success) rate|rate of success", ["winRate"]),
  left("won|wins|winning|winner in", ["winRate"]),
  right("wins?|win rate|winners|of the time|of (?:its|their|them)", ["winRate"]),
  left(
    "(?:won|wins|win rate|rate of success|record)(?: \\S+){0,8} (?:mean|average) (?:entry )?(?:price|cost)",
    ["meanEntryPrice"],
  ),
  left(
    "(?:bought|buying|backed|entered|purchased|took|paid)(?: \\S+){0,7} (?:mean|average) (?:entry )?(?:price|cost)",
    ["entryPrice"],
  ),
  left("(?:mean|average) entry price", ["meanEntryPrice"]),
  left("(?:mean|average) (?:price|cost)", ["meanEntryPrice", "entryPrice"]),
  left("(?:on )?average|mean", ["meanEntryPrice", "entryPrice"]),
  right("on average|average", ["meanEntryPrice", "entryPrice"]),
  left("entry price|paid|entered|entry", ["entryPrice"]),
  left("interval|between", [...starts, ...ends, "bid", "ask"]),
  left("(?:implied )?edge", ["edge", "left"]),
  right("(?:implied )?edge", ["edge"]),
  left("break - even(?: (?:probability|price|chance|point))?|breakeven", ["breakEven", "ask"]),
  right("break - even|breakeven|to break even", ["breakEven"]),
  left("round trip(?: costs?)?|round - trip(?: costs?)?", ["roundTrip"]),
  right("(?:for |per )?(?:a |the )?round trip", ["roundTrip"]),
  left("half(?:way)?(?: of)?(?: (?:the|that|its) (?:move|rise|fall|step))?(?: is given back)?", [
    "halfLevel",
  ]),
  left("(?:add|adds|sum|sums|total) (?:up )?to|sum", ["sum"]),
  left("base rate", ["base"]),
  right("of (?:such|similar|these|earlier|past|all|#)", ["base", "kept", "winRate"]),
  right("base rate", ["base"]),
  right("(?:have |had )?(?:kept|held|stood|lasted)|(?:were |was )?paid", ["kept", "base"]),
  left("(?:probability|chance|odds)", ["breakEven", "chance", "price"]),
  left("(?:is|was|be|are) given back", ["halfLevel"]),
]

const priceRules: ReadonlyArray<Rule> = [
  ...nounRules,
  left("(?:bought|buying|backed|entered|purchased|took)(?: \\S+){0,7} at", ["entryPrice"]),
  left("paid|pays|paying", ["entryPrice", "price", "ask"]),
  left("(?:began|begun|started|opened|opening|starting) (?:\\S+ )?at", [
    ...starts,
    "price",
  ]),
  left("(?:ago|earlier|previously)(?: \\S+){0,5} (?:at|is|was|from)", [...starts, "low"]),
  left("now it", [...ends, "price"]),
  left("(?:was|were|stood) (?:\\S+ )?at", ["from", ...now]),
  left("(?:ended|ending|finished|closed|reached|hit|reaching|hitting|now) (?:\\S+ )?at", [
    ...ends,
    "price",
  ]),
  left("reached|hit|reaching|hitting|now", [...ends, "price"]),
  right(
    "(?:rise|gain|jump|surge|climb|rally|increase|advance|fall|drop|decline|slide|loss|slump|move|change|step|swing|upswing|gap)",
    [
      "change",
    ],
  ),
  right("(?:up|down|higher|lower)", ["change"]),
  left("(?:move|change|rise|fall|drop|gain|loss|jump|step|decline|slide|increase)", ["change"]),
  left("(?:up|down|higher|lower|risen|fallen|climbed) by|by", ["change", "drift"]),
  left("drift|drifted", ["drift"]),
  left(
    "(?:price|priced|costs?|cost|trades|trading|traded|quoted|stands|standing|sits|offered|offers)",
    now,
  ),
  left("at", now),
]

const rules: Readonly<Record<Family, ReadonlyArray<Rule>>> = {
  price: priceRules,
  usd: [
    left("depth", ["depth"]),
    right("(?:of )?(?:depth|orders)|(?:stood |sits? |stands? )?(?:near|within|around|close to)", [
      "depth",
    ]),
    left("(?:volume|traded|turnover)", ["volume"]),
    right(
      "(?:of )?(?:volume|turnover)|(?:was |were |has been |have been )?(?:traded|changed hands)",
      [
        "volume",
      ],
    ),
    left("liquidity", ["liquidity"]),
    right("(?:of |in )?liquidity", ["liquidity"]),
    left("stake|staked|spent|put|invested|bet|wagered", ["stake"]),
    right("(?:stake|bet|position|entry|purchase)", ["stake"]),
    left("(?:bought|buying|backed|entered|purchased|took)(?: \\S+){0,7} (?:for|with)", ["stake"]),
    left("(?:price|priced|costs?|trades|trading)", [...now, "stake"]),
  ],
  time: [
    left("first(?: (?:reported|published|carried))?(?: at| by)?", ["publishedAt"]),
    left("(?:last|latest|most recent)(?: (?:one|report|fill|copy))?(?: at| by)?", ["lastAt", "at"]),
    left("until", ["lastAt", "endsAt"]),
    left("(?:more|others?|copies|outlets|carried)(?: \\S+){0,3} by", ["lastAt"]),
    left("between # and|# to", ["lastAt", "endsAt"]),
    left("between|from", ["publishedAt", "startsAt", "proposedAt", "at"]),
    right("to #", ["publishedAt", "startsAt", "proposedAt", "at"]),
    left("(?:proposed|proposal)(?: at)?", ["proposedAt"]),
    left("(?:ends?|due(?: to end)?|ending|expires|closes|scheduled(?: end)?)(?: at| on)?", [
      "endsAt",
    ]),
    left("(?:seen|observed|measured|as of)(?: at)?", ["at"]),
    left("(?:published|reported|printed|ran|carried)(?: \\S+){0,4}", ["publishedAt"]),
  ],
  duration: [
    right("(?:left|remaining|to go|from now)", ["left"]),
    right("(?:undisputed|without a dispute|without dispute|unchallenged)", ["age"]),
    left("(?:undisputed|unchallenged|standing|stood|proposed) for", ["age"]),
    left("lag|delay", ["lag"]),
  ],
  count: [],
}

/** The slots that the sentence allows for a figure; null when its words do not say. */
export function roleOf(context: Context, figure: Figure): ReadonlyArray<string> | null {
  const [before, after] = [leftOf(context, figure), rightOf(context, figure)]
  const family = families[figure.unit]
  const isPrice = family === "price"
  const difference = isPrice ? slotsOf(differenceRules, before, after) : null
  if (difference !== null) return difference
  const isChange = isPrice && directionOf(before.split(" ").at(-1) ?? "") !== undefined
  if (isChange || isPrice && / by$/.test(before)) return ["change", "drift"]
  if (isPrice || family === "usd") {
    const pair = pairRole(before, after, figure)
    if (pair !== null) return pair
  }
  if (isPrice && figure.sign !== 0) {
    return slotsOf(nounRules, before, after) ??
      ["change", "edge", "edgeLow", "edgeHigh", "drift", "return"]
  }
  return slotsOf(rules[family], before, after)
}

function slotsOf(
  of: ReadonlyArray<Rule>,
  before: string,
  after: string,
): ReadonlyArray<string> | null {
  const rule = of.find((rule) =>
    rule.left?.test(before) === true || rule.right?.test(after) === true
  )
  return rule?.slots ?? null
}

/** `from # to #`, `to # from #`, `between # and #`, `# → #`. */
function pairRole(before: string, after: string, { unit }: Figure): ReadonlyArray<string> | null {
  const isDifference = unit === "points"
  if (isDifference) return null
  const low = [...starts, "bid"]
  const high = [...ends, "ask"]
  if (/(?:^| )from(?: (?:about|around|roughly|a|an|price|of|nearly|the))*$/u.test(before)) {
    return starts
  }
  if (/(?:^| )(?:between # and|# and)$/u.test(before) && before.includes("between #")) return high
  if (/(?:^| )between$/u.test(before)) return low
  if (/# (?:→|->|- >)$/u.test(before)) return ends
  if (/^(?:→|->|- >) #/u.test(after)) return starts
  if (/# to$/u.test(before)) return [...ends, "ask"]
  if (/^to (?:[-+−] )?#/u.test(after)) return [...starts, "bid"]
  if (/(?:^| )to(?: (?:about|around|roughly|nearly|just|only|a|an|price|of))*$/u.test(before)) {
    return [...ends, "price"]
  }
  return null
}

/**
 * Whether a figure stands between the same words as the value does in its own statement: two words before
 * it or after it, or one that is more than grammar.
 */
export function isInOwnPlace(context: Context, figure: Figure, fact: Fact, slot: string): boolean {
  const own = placeOf(fact, slot)
  if (own === null) return false
  const said = {
    before: wordsOf(leftOf(context, figure)).slice(-2),
    after: wordsOf(rightOf(context, figure)).slice(0, 2),
  }
  // Between the same words as another value of the statement, the place says nothing.
  const others = Object.keys(fact.values).filter((other) =>
    other !== slot && fact.values[other]?.type === fact.values[slot]?.type
  ).flatMap((other) => placeOf(fact, other) ?? [])
  return isSamePlace(own, said) && !others.some((other) => isSamePlace(other, said))
}

interface Place {
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

/** The two words on each side of a value in its statement. */
function placeOf(fact: Fact, slot: string): Place | null {
  const value = fact.values[slot]
  const spelling = value === undefined ? "" : spelled(value)
  const at = spelling === "" ? -1 : fact.statement.indexOf(spelling)
  if (at < 0) return null
  const end = at + spelling.length
  return {
    before: wordsOf(fact.statement.slice(Math.max(0, at - ownPlaceLength), at)).slice(-2),
    after: wordsOf(fact.statement.slice(end, end + ownPlaceLength)).slice(0, 2),
  }
}

function isSamePlace(own: Place, said: Place): boolean {
  const [before = "", after = ""] = [own.before.at(-1), own.after[0]]
  return own.before.length === 2 && own.before.join() === said.before.join() ||
    own.after.length === 2 && own.after.join() === said.after.join() ||
    before === said.before.at(-1) && isTelling(before) ||
    after === said.after[0] && isTelling(after)
}

/** Characters of a statement on each side of a value that are read. */
const ownPlaceLength = 60

/** The last words of a text, figures and names as `#`. */
function wordsOf(text: string): ReadonlyArray<string> {
  return text.toLowerCase().match(/[\p{L}'’]+|[#@]|[\d“][^\s]*/gu)?.map((word) =>
    /^[\p{L}]/u.test(word) ? word : "#"
  ) ?? []
}

function isTelling(word: string): boolean {
  return word !== "" && word !== "#" && !grammarWords.has(word)
}

/** The words before a figure in its sentence, figures as `#` and names as `@`. */
function leftOf({ tokens, figures }: Context, figure: Figure): string {
  const { sentence } = tokens[figure.first] ?? {}
  const words: Array<string> = []
  let at = figure.first - 1
  if (/^[+\-−–~≈]$/u.test(tokens[at]?.text ?? "") && tokens[figure.first]?.joined === true) at--
  // A time reads through its date: `at 2026-11-22 01:57 UTC`.
  const date = figures.find(({ last, unit }) => last === at && unit === "date")
  if (figure.unit === "clock" && date !== undefined) at = date.first - 1
  while (at >= 0 && words.length < leftMax && tokens[at]?.sentence === sentence) {
    const inside = figures.find(({ first, last }) => first <= at && at <= last)
    words.unshift(inside === undefined ? wordAt(tokens[at]) : "#")
    at = (inside?.first ?? at) - 1
  }
  return words.filter((word) => word !== "").join(" ")
}

function rightOf({ tokens, figures }: Context, figure: Figure): string {
  const { sentence } = tokens[figure.first] ?? {}
  const words: Array<string> = []
  let at = figure.last + 1
  while (at < tokens.length && words.length < rightMax && tokens[at]?.sentence === sentence) {
    const inside = figures.find(({ first, last }) => first <= at && at <= last)
    words.push(inside === undefined ? wordAt(tokens[at]) : "#")
    at = (inside?.last ?? at) + 1
  }
  return words.filter((word) => word !== "").join(" ")
}

function wordAt(token: Context["tokens"][number] | undefined): string {
  if (token === undefined || /^[“”"'‘’*]$/u.test(token.text)) return ""
  return token.kind === "name" || token.refs.length > 0 && token.kind === "word" ? "@" : token.lower
}
