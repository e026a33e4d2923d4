/**
 * True statements about generated facts, in many wordings. A wording reads the facts that it is given, so
 * the same wording of a corrupted fact is a false statement of the same form.
 *
 * @module
 */
import type { EpochMs } from "../../../src/core/domain/time.ts"
import { hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import type { Fact, FactKind } from "../../../src/writing/domain/facts.ts"
import type { ClaimKind } from "../../../src/writing/domain/page.ts"
import { spelled, type Value } from "../../../src/writing/domain/values.ts"

/** Reads one fact for a wording. */
export class View {
  readonly fact: Fact

  constructor(fact: Fact) {
    this.fact = fact
  }

  get up(): boolean {
    return this.fact.direction === "up"
  }

  #value(slot: string): Value {
    const value = this.fact.values[slot]
    if (value === undefined) throw new Error(`${this.fact.kind} without ${slot}`)
    return value
  }

  has(slot: string): boolean {
    return this.fact.values[slot] !== undefined
  }

  /** As our own texts spell it. */
  v(slot: string): string {
    return spelled(this.#value(slot))
  }

  /** In quotation marks. */
  q(slot: string): string {
    return `“${this.text(slot)}”`
  }

  text(slot: string): string {
    const value = this.#value(slot)
    return value.type === "name" || value.type === "word" ? value.text : spelled(value)
  }

  number(slot: string): number {
    const value = this.#value(slot)
    return "value" in value ? value.value : 0
  }

  at(slot: string): EpochMs {
    const value = this.#value(slot)
    return value.type === "time" ? value.at : 0
  }

  ms(slot: string): number {
    const value = this.#value(slot)
    return value.type === "duration" ? value.ms : 0
  }

  cents(slot: string): string {
    return `${trim(this.number(slot) * 100, 1)} cents`
  }

  percent(slot: string): string {
    return `${trim(this.number(slot) * 100, 1)}%`
  }

  /** `three` for a small count. */
  inWords(slot: string): string {
    return numberWords[this.number(slot)] ?? String(this.number(slot))
  }

  clock(slot: string): string {
    return isoTime(this.at(slot)).slice(11, 16)
  }

  /** `Nov 22`. */
  date(slot: string): string {
    const [, month = "", ofMonth = ""] = isoTime(this.at(slot)).slice(0, 10).split("-")
    return `${monthNames[Number(month) - 1]} ${Number(ofMonth)}`
  }

  span(slot: string): string {
    const hours = Math.round(this.ms(slot) / hour)
    return hours === 1 ? "an hour" : hours === 24 ? "a day" : `${hours} hours`
  }

  /** The shortest name of a market: its capitalised words in order, without the figures. */
  short(slot: string): string {
    const words = this.text(slot).replace(/[?'’]/g, "").split(" ")
    const kept = words.filter((word, n) => /^\p{Lu}/u.test(word) && n > 0 && !months.has(word))
    return kept.slice(0, 3).join(" ")
  }
}

export const numberWords = [
  ...["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
]
const monthNames = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")
const months = new Set(["November", "December"])

function trim(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)))
}

/** Words of a wording that a corruption may turn round without changing the fact. */
export interface Voice {
  readonly bought: string
  readonly buyer: string
  readonly paid: string
  /** `no …` and `not …` in wordings of negative facts. */
  readonly denies: boolean
}

export const plainVoice: Voice = { bought: "bought", buyer: "buyer", paid: "paid", denies: true }

export interface Wording {
  readonly kinds: readonly [FactKind, ...ReadonlyArray<FactKind>]
  readonly claimKind: ClaimKind
  /** Null when these facts cannot be worded so. */
  readonly write: (views: readonly [View, ...ReadonlyArray<View>], voice: Voice) => string | null
}

type Single = (view: View, voice: Voice) => string | null

function single(kind: FactKind, ...all: ReadonlyArray<Single>): ReadonlyArray<Wording> {
  return all.map((write) => ({
    kinds: [kind],
    claimKind: "fact",
    write: ([view], voice) => write(view, voice),
  }))
}

function pair(
  kinds: readonly [FactKind, FactKind],
  claimKind: ClaimKind,
  ...all: ReadonlyArray<(a: View, b: View, voice: Voice) => string | null>
): ReadonlyArray<Wording> {
  return all.map((write) => ({
    kinds,
    claimKind,
    write: ([a, b], voice) => b === undefined ? null : write(a, b, voice),
  }))
}

const rose = ({ up }: View) => up ? "rose" : "fell"

const ofMovers = single(
  "mover",
  (m) => `${m.q("outcome")} in ${m.q("market")} ${rose(m)} from ${m.v("from")} to ${m.v("to")}.`,
  (m) => `${m.q("market")}: ${m.v("from")} to ${m.v("to")} within ${m.span("window")}.`,
  (m) => `${m.q("market")} ${m.up ? "gained" : "lost"} ${m.v("change")} in ${m.span("window")}.`,
  (m) =>
    `The price of ${m.q("outcome")} in ${m.q("market")} ${m.up ? "climbed" : "dropped"} by ${
      m.v("change")
    } to ${m.v("to")}, seen at ${m.v("at")}.`,
  (m) =>
    `${m.q("market")} is ${m.up ? "up" : "down"} ${m.cents("change")} at ${
      m.cents("to")
    }, a move of ${m.v("deviations")}.`,
  (m) =>
    `A ${trim(m.number("change") * 100, 1)}-cent ${m.up ? "jump" : "drop"} took ${
      m.q("outcome")
    } in ${m.q("market")} to ${m.percent("to")}.`,
  (m) => `${m.q("market")} (${m.up ? "+" : "-"}${m.cents("change")}) now costs ${m.v("to")}.`,
  (m) =>
    `${m.q("outcome")} in ${m.q("market")} moved ${m.up ? "up" : "down"} to ${m.v("to")} from ${
      m.v("from")
    }, with ${m.v("depth")} of depth near the price and a spread of ${m.v("spread")}.`,
  (m) =>
    m.text("outcome") === "Yes" && m.text("market").includes("Will")
      ? `“No” in ${m.q("market")} ${m.up ? "fell" : "rose"} from ${
        trim(100 - m.number("from") * 100, 1)
      } cents to ${trim(100 - m.number("to") * 100, 1)} cents.`
      : null,
  (m) =>
    m.text("market").startsWith("Will")
      ? `${m.short("market")} ${rose(m)} to ${m.v("to")} by ${m.clock("at")}.`
      : null,
)

const ofEntries = single(
  "whale_entry",
  (w, { bought }) =>
    `${w.v("wallet")} ${bought} ${w.q("outcome")} in ${w.q("market")} for ${w.v("stake")} at ${
      w.v("entryPrice")
    }${w.fact.negative ? "; too little is known about it to label it" : ""}.`,
  (w, { paid }) =>
    `${w.q("wallet")} ${paid} ${w.cents("entryPrice")} for ${w.q("outcome")} in ${w.q("market")}${
      w.fact.negative ? ", and has no label" : `, labelled ${w.text("label")}`
    }.`,
  (w, { bought }) =>
    w.has("label")
      ? `The wallet ${w.v("wallet")}, labelled ${w.text("label")}, ${bought} ${
        w.q("outcome")
      } at a mean price of ${w.v("entryPrice")}; the last fill was at ${w.v("lastAt")}.`
      : null,
  (w) =>
    w.has("label")
      ? `${w.q("wallet")} has a win rate of ${w.v("winRate")} over ${
        w.v("resolved")
      } at a mean entry price of ${w.v("meanEntryPrice")}.`
      : null,
  (w) =>
    w.has("label")
      ? `${w.v("wallet")} won ${w.percent("winRate")} of its ${w.v("resolved")}, an edge of ${
        w.v("edge")
      }.`
      : null,
  (w, { buyer }) =>
    w.fact.negative
      ? null
      : `The ${buyer} of ${w.q("outcome")} in ${w.q("market")} was ${
        w.q("wallet")
      }, with a stake of ${w.v("stake")}.`,
)

const ofProposals = single(
  "predetermined",
  (p) =>
    `${p.q("outcome")} of ${p.q("market")} was proposed and has been undisputed for ${
      p.v("age")
    }, at a price of ${p.v("price")}.`,
  (p) => `${p.q("outcome")} of ${p.q("market")} was proposed at ${p.v("proposedAt")}.`,
  (p) =>
    `${p.q("market")}: ${p.q("outcome")} is proposed with ${
      p.text("confidence")
    } confidence, and the price is ${p.cents("price")}.`,
  (p) => `The proposal of ${p.q("outcome")} for ${p.q("market")} is undisputed for ${p.v("age")}.`,
)

const ofResolutions = single(
  "resolution",
  (r) => `${r.q("market")} resolved as ${r.q("outcome")} at ${r.v("at")}.`,
  (r) => `At ${r.v("at")}, ${r.q("market")} resolved to ${r.q("outcome")}.`,
  (r) => `${r.q("outcome")} is how ${r.q("market")} resolved.`,
  (r) => `${r.q("market")} has resolved as ${r.q("outcome")}, seen by ${r.clock("at")} UTC.`,
)

const ofNews = single(
  "news",
  (n) => `${n.v("publisher")} published ${n.q("headline")} at ${n.v("publishedAt")}.`,
  (n) =>
    `${n.q("headline")} was first published by ${n.v("publisher")} at ${n.v("publishedAt")}; ${
      n.v("outlets")
    } carried it.`,
  (n) =>
    `${capital(n.inWords("outlets"))} outlets carried ${n.q("headline")}, first ${
      n.clock("publishedAt")
    }, last ${n.clock("lastAt")}.`,
  (n) => `${n.q("headline")} (${n.v("publisher")}, ${n.clock("publishedAt")}).`,
  (n) =>
    `First reported at ${n.clock("publishedAt")} by ${n.v("publisher")}, ${
      n.q("headline")
    } was carried by ${n.inWords("outlets")} outlets until ${n.clock("lastAt")}.`,
)

const ofUpcoming = single(
  "upcoming",
  (u) => `${u.q("market")} ends at ${u.v("endsAt")}, with ${u.q("outcome")} at ${u.v("price")}.`,
  (u) =>
    `${u.q("market")} is due to end in ${u.v("left")}; ${u.q("outcome")} costs ${u.v("price")}.`,
  (u) =>
    `With ${u.v("liquidity")} of liquidity and ${u.v("left")} left, ${u.q("outcome")} in ${
      u.q("market")
    } trades at ${u.cents("price")}.`,
  (u) => `${u.q("market")} (${u.percent("price")}, ends ${u.clock("endsAt")}).`,
)

const ofMarkets = single(
  "market",
  (m) => `${m.q("outcome")} in ${m.q("market")} costs ${m.v("price")}.`,
  (m) => `So far ${m.v("volume")} was traded in ${m.q("market")}.`,
  (m) => `${m.q("market")} ends on ${m.date("endsAt")}, and the price is ${m.cents("price")}.`,
  (m) =>
    `The market ${m.q("market")} has a volume of ${m.v("volume")} at a price of ${m.v("price")}.`,
)

const ofPrices = single(
  "price",
  (p) => `In the last ${p.v("window")} the price ${rose(p)} from ${p.v("from")} to ${p.v("to")}.`,
  (p) => `The price ${rose(p)} by ${p.v("change")} over ${p.v("window")}.`,
  (p) =>
    `It is ${p.up ? "up" : "down"} ${p.cents("change")} in ${p.v("window")}, to ${
      p.percent("to")
    }.`,
  (p) =>
    `A ${p.up ? "rise" : "fall"} of ${p.cents("change")} in ${p.v("window")} brought the price to ${
      p.v("to")
    }.`,
)

const ofBooks = single(
  "book",
  (b) => `The best bid is ${b.v("bid")} and the best ask is ${b.v("ask")}.`,
  (b) =>
    `The book shows a bid of ${b.cents("bid")}, an ask of ${b.cents("ask")} and a spread of ${
      b.v("spread")
    }.`,
  (b) =>
    `Break-even at the ask is ${b.v("breakEven")}, and a round trip costs ${b.v("roundTrip")}.`,
  (b) =>
    `The book has ${b.v("depth")} of depth near the midpoint, at a ${
      trim(b.number("spread") * 100, 1)
    }-cent spread.`,
)

const ofWhales = single(
  "whale",
  (w, { bought }) =>
    `${w.v("wallet")} ${bought} ${w.q("outcome")} at ${w.v("entryPrice")} for ${w.v("stake")}.`,
  (w) => `${w.q("wallet")} is labelled ${w.text("label")}, over ${w.v("resolved")}.`,
  (w) =>
    `The win rate of ${w.q("wallet")} is ${w.percent("winRate")} at a mean price of ${
      w.cents("meanEntryPrice")
    }.`,
  (w, { paid }) =>
    `${w.v("wallet")} (${w.text("label")}) ${paid} ${w.cents("entryPrice")} for ${
      w.q("outcome")
    }, ${w.v("age")} ago.`,
)

const ofRelations = single(
  "relation",
  (r) =>
    `${r.q("outcome")} in ${r.q("market")} costs ${r.v("price")}, while ${r.q("outcome2")} in ${
      r.q("market2")
    } costs ${r.v("price2")}.`,
  (r) =>
    `${r.q("market")} at ${r.v("price")} and ${r.q("market2")} at ${
      r.v("price2")
    } contradict each other.`,
  (r) =>
    `${r.q("market")} and ${r.q("market2")} contradict each other, with a riskless spread of ${
      r.v("riskless")
    } before fees.`,
)

const ofRecords = single(
  "record",
  (r) =>
    `Of ${r.v("resolved")} like this, ${r.v("kept")} kept at least half of the move after a day.`,
  (r) => `${r.v("kept")} of ${r.v("resolved")} like this kept at least half of the move.`,
  (r) => `After a day, ${r.v("kept")} of such moves kept at least half, over ${r.v("resolved")}.`,
)

const ofCoverage = single(
  "coverage",
  (c) => c.has("markets") ? `The prices of ${c.v("markets")} were watched.` : null,
  (c) => c.has("markets") ? `${c.v("wallets")} and ${c.v("markets")} were watched.` : null,
  (c) => c.has("markets") ? `Watched: the entries of ${c.v("wallets")}.` : null,
  (c, { denies }) =>
    c.fact.statement.includes("wallet labelled")
      ? denies
        ? "No wallet labelled follow or fade opened a position."
        : "A wallet labelled follow or fade opened a position."
      : null,
  (c, { denies }) =>
    c.fact.statement.includes("moved far")
      ? denies
        ? "No market moved far enough to be reported."
        : "A market moved far enough to be reported."
      : null,
  (c, { denies }) =>
    c.fact.statement.includes("is not known")
      ? `Whether a headline moved the price is ${denies ? "not known" : "known"}.`
      : null,
)

const ofPairs = [
  ...pair(
    ["mover", "mover"],
    "fact",
    (a, b) =>
      `${a.q("market")} ${rose(a)} from ${a.v("from")} to ${a.v("to")}, while ${b.q("market")} ${
        rose(b)
      } from ${b.v("from")} to ${b.v("to")}.`,
    (a, b) =>
      `${a.q("market")} (${a.up ? "+" : "-"}${a.cents("change")}) and ${b.q("market")} (${
        b.up ? "+" : "-"
      }${b.cents("change")}) moved.`,
  ),
  ...pair(
    ["news", "mover"],
    "fact",
    (n, m) => {
      const gap = m.at("at") - n.at("publishedAt")
      if (Math.abs(gap) < 3 * minute) return null
      return `${n.v("publisher")} published ${n.q("headline")} at ${n.clock("publishedAt")}, ${
        gap > 0 ? "before" : "after"
      } the move in ${m.q("market")} was seen at ${m.clock("at")}.`
    },
    (n, m) => {
      const hours = Math.round((m.at("at") - n.at("publishedAt")) / hour)
      if (Math.abs(hours) < 4) return null
      return `${n.q("headline")} was published ${Math.abs(hours)} hours ${
        hours > 0 ? "before" : "after"
      } the move in ${m.q("market")}.`
    },
  ),
  ...pair(
    ["whale_entry", "whale_entry"],
    "fact",
    (a, b, { bought }) =>
      a.fact.negative || b.fact.negative
        ? null
        : `${a.q("wallet")} ${bought} ${a.q("outcome")} in ${a.q("market")} for ${
          a.v("stake")
        }, and ${b.q("wallet")} ${bought} ${b.q("outcome")} in ${b.q("market")} for ${
          b.v("stake")
        }.`,
    (a, b) =>
      a.fact.negative || b.fact.negative
        ? null
        : `${a.v("wallet")} is labelled ${a.text("label")}, and ${b.v("wallet")} is labelled ${
          b.text("label")
        }.`,
  ),
  ...pair(
    ["news", "mover"],
    "inference",
    (n, m) =>
      `The headline ${n.q("headline")} may be related to the move in ${m.q("market")} to ${
        m.v("to")
      }.`,
    (n, m) =>
      `The ${m.up ? "rise" : "fall"} in ${m.q("market")} from ${m.v("from")} to ${
        m.v("to")
      } could be a reaction to ${n.q("headline")}, reported by ${n.v("publisher")}.`,
  ),
]

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

export const wordings: ReadonlyArray<Wording> = [
  ...[...ofMovers, ...ofEntries, ...ofProposals, ...ofResolutions, ...ofNews, ...ofUpcoming],
  ...[...ofMarkets, ...ofPrices, ...ofBooks, ...ofWhales, ...ofRelations, ...ofRecords],
  ...[...ofCoverage, ...ofPairs],
]
