/**
 * Ways to make a true statement false: on the facts before they are worded, or on the words.
 *
 * @module
 */
import { hour, minute } from "../../../src/core/domain/time.ts"
import type { Fact } from "../../../src/writing/domain/facts.ts"
import type { Value } from "../../../src/writing/domain/values.ts"
import type { Random } from "../random.ts"
import { numberWords, plainVoice, type Voice } from "./wordings.ts"

/** Changes one of the facts of a statement; null when it does not apply. */
type FactCorruption = (fact: Fact, brief: ReadonlyArray<Fact>, random: Random) => Fact | null
/** Changes the words; null when it does not apply. */
type TextCorruption = (text: string, random: Random, facts: ReadonlyArray<Fact>) => string | null

export type Corruption =
  | { readonly name: string; readonly on: "fact"; readonly corrupt: FactCorruption }
  /** Exchanges the values of a slot between the two facts of a statement. */
  | { readonly name: string; readonly on: "pair"; readonly slot: string }
  | { readonly name: string; readonly on: "voice"; readonly voice: Voice }
  | { readonly name: string; readonly on: "text"; readonly corrupt: TextCorruption }

function withValues(fact: Fact, values: Readonly<Record<string, Value>>): Fact {
  return { ...fact, values: { ...fact.values, ...values } }
}

const direction: FactCorruption = (fact) =>
  fact.direction === null ? null : { ...fact, direction: fact.direction === "up" ? "down" : "up" }

const fromTo: FactCorruption = (fact) => {
  const { from, to } = fact.values
  return from === undefined || to === undefined ? null : withValues(fact, { from: to, to: from })
}

/** The value of a slot replaced by that of another fact of the brief. */
const swapOf = (...slots: ReadonlyArray<string>): FactCorruption => (fact, brief, random) => {
  const own = slots.filter((slot) => fact.values[slot] !== undefined)
  const [slot] = own
  if (slot === undefined) return null
  const chosen = own[random.below(own.length)] ?? slot
  const others = brief.flatMap(({ values }) => {
    const value = values[chosen.replace(/\d$/, "")]
    const isOwn = Object.values(fact.values).some((own) => same(value, own))
    return value === undefined || isOwn ? [] : [value]
  })
  const other = others[random.below(others.length)]
  return other === undefined ? null : withValues(fact, { [chosen]: other })
}

function same(a: Value | undefined, b: Value | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const sides: Readonly<Record<string, string>> = {
  Yes: "No",
  No: "Yes",
  Over: "Under",
  Under: "Over",
}

const outcome: FactCorruption = (fact) => {
  const { outcome, market, price } = fact.values
  // At 0.50 the other outcome has the same price.
  if (price?.type === "price" && price.value === 0.5) return null
  if (outcome?.type !== "name") return null
  const [, first, second] = market?.type === "name"
    ? /^(.+) vs\. ([^:]+)/.exec(market.text) ?? []
    : []
  const other = sides[outcome.text] ?? (outcome.text === first ? second : first)
  return other === undefined ? null : withValues(fact, { outcome: { type: "name", text: other } })
}

const labels = ["follow", "fade", "neutral"]

const label: FactCorruption = (fact, _, random) => {
  const { label } = fact.values
  if (label?.type !== "word") return null
  const others = labels.filter((text) => text !== label.text)
  return withValues(fact, { label: { type: "word", text: others[random.below(2)] ?? "fade" } })
}

const confidence: FactCorruption = (fact) => {
  const { confidence } = fact.values
  if (confidence?.type !== "word") return null
  const text = confidence.text === "high" ? "low" : "high"
  return withValues(fact, { confidence: { type: "word", text } })
}

/** Another number of the same form, clearly different. */
const figure: FactCorruption = (fact, _, random) => {
  const slots = Object.entries(fact.values).filter(([, value]) => "value" in value)
  const [slot, value] = slots[random.below(slots.length)] ?? []
  if (slot === undefined || value === undefined || !("value" in value)) return null
  const factor = random.pick([0.5, 0.7, 0.8, 1.25, 1.4, 1.9, 10, 0.1])
  const drawn = value.value * factor
  const bounded = value.type === "price" && drawn > 0.99 ? value.value * 0.6 : drawn
  const changed = value.type === "usd" || value.type === "count"
    ? Math.max(1, Math.round(bounded))
    : value.type === "deviations"
    ? Math.round(bounded * 10) / 10
    : Math.round(bounded * 1000) / 1000
  const isClose = Math.abs(changed - value.value) < 0.011
  return isClose ? null : withValues(fact, { [slot]: { ...value, value: changed } })
}

/** Two figures of the same type of one fact, each in the place of the other. */
const figureSwap: FactCorruption = (fact, _, random) => {
  const slots = Object.entries(fact.values).filter(([slot, value]) =>
    "value" in value && slot !== "from" && slot !== "to"
  )
  const [a, first] = slots[random.below(slots.length)] ?? []
  const others = slots.filter(([slot, value]) =>
    slot !== a && first !== undefined && "value" in value && "value" in first &&
    Math.abs(value.value - first.value) > 0.011 && value.type === first.type &&
    (value.type !== "count" || first.type === "count" && value.noun === first.noun)
  )
  const [b, second] = others[random.below(others.length)] ?? []
  if (a === undefined || b === undefined || first === undefined || second === undefined) return null
  return withValues(fact, { [a]: second, [b]: first })
}

const time: FactCorruption = (fact, _, random) => {
  const slots = Object.entries(fact.values).filter(([, { type }]) =>
    type === "time" || type === "duration"
  )
  const [slot, value] = slots[random.below(slots.length)] ?? []
  if (slot === undefined || value === undefined) return null
  const shift = random.pick([7 * minute, 45 * minute, 3 * hour, 10 * hour, -50 * minute, 2 * hour])
  if (value.type === "time") return withValues(fact, { [slot]: { ...value, at: value.at + shift } })
  if (value.type !== "duration") return null
  const ms = Math.max(hour, value.ms + random.pick([5, 9, 14, -6, 30]) * hour)
  return Math.abs(ms - value.ms) < 0.2 * value.ms
    ? null
    : withValues(fact, { [slot]: { ...value, ms } })
}

const timeSwap: FactCorruption = (fact) => {
  const { publishedAt, lastAt } = fact.values
  return publishedAt === undefined || lastAt === undefined
    ? null
    : withValues(fact, { publishedAt: lastAt, lastAt: publishedAt })
}

const denials: ReadonlyArray<readonly [RegExp, string]> = [
  [/ rose /, " did not rise "],
  [/ fell /, " did not fall "],
  [/ gained /, " did not gain "],
  [/ lost /, " did not lose "],
  [/ climbed /, " did not climb "],
  [/ dropped /, " did not drop "],
  [/ moved /, " never moved "],
  [/ bought /, " did not buy "],
  [/ paid /, " never paid "],
  [/ published /, " did not publish "],
  [/ was (?!not)/, " was not "],
  [/ were (?!not)/, " were never "],
  [/ is (?!not)/, " is not "],
  [/ has (?!no )/, " has not "],
  [/ have /, " have not "],
  [/ costs? /, " does not cost "],
  [/ ends /, " does not end "],
  [/ resolved /, " was never resolved "],
  [/ kept /, " did not keep "],
  [/ carried /, " did not carry "],
  [/ contradict /, " do not contradict "],
  [/ trades /, " does not trade "],
  [/ won /, " never won "],
  [/ took /, " did not take "],
  [/ shows /, " shows no "],
  [/ rose /, " hardly rose "],
  [/ rose /, " failed to rise "],
  [/ fell /, " barely fell "],
  [/ fell /, " has yet to fall "],
  [/ bought /, " refused to buy "],
  [/ bought /, " stopped short of buying "],
  [/ published /, " declined to publish "],
  [/ resolved /, " is yet to be resolved "],
  [/ is /, " is far from "],
  [/ is /, " isn't "],
  [/ was /, " wasn't "],
  [/ was /, " was nowhere "],
]

const denialAdded: TextCorruption = (text, random) => {
  const bare = denials.filter(([verb]) => verb.test(text.replace(/“[^“”]*”/g, "")))
  const [verb, denied] = bare[random.below(bare.length)] ?? []
  if (verb === undefined || denied === undefined) return null
  let done = false
  return text.split(/(“[^“”]*”)/).map((part) => {
    if (done || part.startsWith("“") || !verb.test(part)) return part
    done = true
    return part.replace(verb, denied)
  }).join("")
}

const certainty: TextCorruption = (text, random) => {
  const bare = text.replace(/\.$/, "")
  return random.pick([
    `${bare}, and that is certain.`,
    `${bare}; it is guaranteed.`,
    `${bare}, and it will stay there.`,
    `${bare}, without doubt.`,
    `${bare}; this is confirmed.`,
    `${bare}, which is sure to hold.`,
    `${bare}, obviously.`,
    `Certainly, ${text}`,
    `There is no doubt that ${text}`,
    `${bare}; the outcome is decided.`,
    `${bare}; it must pay out.`,
    `${bare}, a sure thing.`,
    `${bare}, and nothing can stop it.`,
    `${bare}; it is a foregone conclusion.`,
    `${bare}, beyond question.`,
    `${bare}; the result is in.`,
    `${bare}, and it can only go on.`,
    `${bare}, a lock.`,
    `${bare}; this cannot fail.`,
    `${bare}, 100% safe.`,
    `${bare}, with no risk at all.`,
    `${bare}; it has to pay.`,
    `${bare}, and it is going to win.`,
    `${bare}; the matter is closed.`,
    `${bare}; it is as good as won.`,
    `Make no mistake: ${text}`,
    `Without question, ${text}`,
    `Inevitably, ${text}`,
    `${bare}, which proves it.`,
    `${bare}; officials confirmed the result.`,
  ])
}

const cause: TextCorruption = (text, random) => {
  const bare = text.replace(/\.$/, "")
  return random.pick([
    `${bare} because of the news.`,
    `${bare}, caused by a report.`,
    `${bare}, driven by the whales.`,
    `${bare} due to heavy trading.`,
    `${bare}, triggered by a headline.`,
    `${bare} as a result of the proposal.`,
    `${bare}, thanks to the wallets.`,
    `The news explains it: ${text}`,
    `${bare}; a report pushed the price.`,
    `${bare}, in reaction to the headline.`,
    `${bare} on the back of the news.`,
    `${bare} in the wake of a report.`,
    `${bare} as traders reacted.`,
    `${bare}, which moved the market.`,
    `${bare} after insiders leaked it.`,
    `${bare} on news of a deal.`,
    `${bare} amid rumours.`,
    `${bare}, fuelled by speculation.`,
    `${bare} owing to a rumour.`,
    `${bare}, prompted by the whales.`,
    `${bare}: the market is following the news.`,
    `${bare}, which explains the price.`,
    `${bare} since the report came out.`,
    `${bare}; the headline is why.`,
    `${bare}; that is what made the market move.`,
    `${bare} following a leak.`,
    `${bare}, spurred by buying.`,
    `Because of the news, ${text}`,
    `Driven by demand, ${text}`,
  ])
}

/** A number word, or a number before a noun, replaced by another. */
const numberWord: TextCorruption = (text, random) => {
  const words = [
    ...text.matchAll(
      /(?<=^|[ (])(?:an? (?=hour|day)|(?:one|two|three|four|five|six|seven|eight|nine|ten) )/giu,
    ),
  ]
    .filter(({ index }) => !/“[^”]*$/.test(text.slice(0, index)))
  const found = words[random.below(words.length)]
  if (found === undefined) return null
  const [old] = found
  const now = numberWords.indexOf(old.trim().toLowerCase())
  const value = now < 0 ? 1 : now
  const other =
    numberWords[value >= 6 ? value - 2 - random.below(3) : value + 2 + random.below(3)] ?? "ten"
  const written = /^\p{Lu}/u.test(old) ? other.slice(0, 1).toUpperCase() + other.slice(1) : other
  return `${text.slice(0, found.index)}${written} ${text.slice(found.index + old.length)}`
}

const role: Voice = { ...plainVoice, bought: "sold", buyer: "seller", paid: "received" }
const denialDropped: Voice = { ...plainVoice, denies: false }

export const corruptions: ReadonlyArray<Corruption> = [
  { name: "direction", on: "fact", corrupt: direction },
  { name: "from and to", on: "fact", corrupt: fromTo },
  { name: "market", on: "fact", corrupt: swapOf("market", "market2") },
  { name: "outcome", on: "fact", corrupt: outcome },
  { name: "wallet", on: "fact", corrupt: swapOf("wallet") },
  { name: "wallets exchanged", on: "pair", slot: "wallet" },
  { name: "markets exchanged", on: "pair", slot: "market" },
  { name: "label", on: "fact", corrupt: label },
  { name: "confidence", on: "fact", corrupt: confidence },
  { name: "publisher", on: "fact", corrupt: swapOf("publisher") },
  { name: "headline", on: "fact", corrupt: swapOf("headline") },
  { name: "figure", on: "fact", corrupt: figure },
  { name: "figures swapped", on: "fact", corrupt: figureSwap },
  { name: "time", on: "fact", corrupt: time },
  { name: "times swapped", on: "fact", corrupt: timeSwap },
  { name: "denial dropped", on: "voice", voice: denialDropped },
  { name: "denial added", on: "text", corrupt: denialAdded },
  { name: "certainty", on: "text", corrupt: certainty },
  { name: "cause", on: "text", corrupt: cause },
  { name: "number word", on: "text", corrupt: numberWord },
  { name: "buyer and seller", on: "voice", voice: role },
]
