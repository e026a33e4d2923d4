/**
 * Generated briefs of typed facts of every kind, with invented names.
 *
 * @module
 */
import type { EpochMs } from "../../../src/core/domain/time.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import type { Fact, FactKind } from "../../../src/writing/domain/facts.ts"
import { phrase, type Statement, value } from "../../../src/writing/domain/statement.ts"
import type { Value } from "../../../src/writing/domain/values.ts"
import { Random } from "../random.ts"

const today: EpochMs = Date.UTC(2026, 10, 22, 2)

const parties = ["Civic Alliance", "Reform Union", "Harvest Party", "Coastal League"] as const
const places = ["Portugal", "Norway", "Kenya", "Japan", "Chile", "Canada", "Peru"] as const
const teams = [
  ...["Bellhaven Kites", "Northgate Rovers", "Harbor City Gulls", "Quarry Wolves"],
  ...["Ironwood Stags", "Saltmarsh United"],
] as const
const titles = ["Lantern Year", "Low Tide", "The Salt Road"] as const
const labs = ["Lab Quillon", "Lab Tessera", "Lab Meridian"] as const
const coins = ["Ethereum", "Solana", "Dogecoin", "Bitcoin"] as const
const publishers = [
  "The Harbor Ledger",
  "Quillon Post",
  "Meridian Wire",
  "North Sound Radio",
  "Évora Diário",
] as const
const firstNames = ["Keen", "Jolly", "Calm", "Brisk", "Lucid", "Dusty", "Mellow"] as const
const lastNames = ["Glacier", "Dune", "Kettle", "Ember", "Comet", "Barrel"] as const
const months = ["November", "December"] as const

/** A market with two outcomes: the one that its facts are about, and the other. */
export interface TestMarket {
  readonly question: string
  readonly outcome: string
  readonly other: string
}

/** Draws what a fact needs, without repeating a market, a wallet or a publisher. */
export class FactSource {
  readonly random: Random
  readonly #used = new Set<string>()

  constructor(seed: number) {
    this.random = new Random(seed)
  }

  #unused(draw: () => string): string {
    for (let tries = 0; tries < 200; tries++) {
      const drawn = draw()
      if (this.#used.has(drawn)) continue
      this.#used.add(drawn)
      return drawn
    }
    return draw()
  }

  market(): TestMarket {
    const { random } = this
    const ofMonth = () => 1 + random.below(28)
    const question = this.#unused(() =>
      random.pick([
        () =>
          `Will the ${random.pick(parties)} win the most seats in ${random.pick(places)} by ${
            random.pick(months)
          } ${ofMonth()}?`,
        () =>
          `Will annual inflation in ${random.pick(places)} be above ${
            (1 + random.below(60) / 10).toFixed(1)
          }% in ${random.pick(months)} 2026?`,
        () =>
          `Will '${random.pick(titles)}' win the festival grand prize in ${
            random.pick(months)
          } 2026?`,
        () =>
          `Will ${random.pick(labs)} top the open leaderboard on ${
            random.pick(months)
          } ${ofMonth()}?`,
        () =>
          `Will ${random.pick(coins)} gain ${20 + random.below(99)}% by ${
            random.pick(months)
          } ${ofMonth()}?`,
        () => `${random.pick(teams)} vs. ${random.pick(teams)}`,
        () => `${random.pick(teams)} vs. ${random.pick(teams)}: O/U ${1 + random.below(4)}.5`,
      ])()
    )
    const [, first = "", second = ""] = /^(.+) vs\. ([^:]+)$/.exec(question) ?? []
    if (first !== "" && first !== second) return { question, outcome: first, other: second }
    if (first !== "") return this.market()
    return question.includes("O/U")
      ? { question, outcome: "Over", other: "Under" }
      : random.chance(0.8)
      ? { question, outcome: "Yes", other: "No" }
      : { question, outcome: "No", other: "Yes" }
  }

  wallet(): string {
    const { random } = this
    return this.#unused(() => {
      const name = `${random.pick(firstNames)}-${random.pick(lastNames)}`
      return random.chance(0.5)
        ? `${name}${1 + random.below(99)}`
        : `${name} (0x${hex(random, 4)}…${hex(random, 4)})`
    })
  }

  publisher(): string {
    return this.#unused(() => this.random.pick(publishers))
  }

  headline(market: TestMarket): string {
    const [first = "Quiet", second = "Hall"] = market.question.match(/\p{Lu}\p{Ll}+/gu)?.slice(1) ??
      []
    return this.#unused(() =>
      this.random.pick([
        `${first} ${second} in the focus of ${this.random.pick(places)}`,
        `New poll: ${first} ${second} under pressure`,
        `What to expect of ${first} ${second} this week`,
        `Long talks over ${first} end without result`,
      ])
    )
  }

  /** A price with half a cent of resolution, away from the ends and from the middle. */
  price(low: number = 0.06, high: number = 0.94): number {
    return Math.round(this.random.between(low, high) * 200) / 200
  }

  usd(): number {
    return 1_000 + this.random.below(60_000)
  }

  time(hoursAgoMax: number = 24): EpochMs {
    return today - minute * (1 + this.random.below(hoursAgoMax * 60))
  }
}

function hex(random: Random, length: number): string {
  return Array.from({ length }, () => random.below(16).toString(16)).join("")
}

const price = (value: number): Value => ({ type: "price", value })
const change = (value: number): Value => ({ type: "change", value })
const rate = (value: number): Value => ({ type: "rate", value })
const usd = (value: number): Value => ({ type: "usd", value })
const time = (at: EpochMs): Value => ({ type: "time", at, today })
const duration = (ms: number): Value => ({ type: "duration", ms })
const name = (text: string): Value => ({ type: "name", text })
const word = (text: string): Value => ({ type: "word", text })
const count = (value: number, noun: string, nouns = `${noun}s`): Value => ({
  ...{ type: "count", value, noun, nouns },
})
const deviations = (value: number): Value => ({ type: "deviations", value })

interface Parts {
  readonly direction?: "up" | "down"
  readonly negative?: true
  readonly certain?: true
}

function factOf(kind: FactKind, statement: Statement, parts: Parts = {}): Omit<Fact, "id"> {
  return {
    kind,
    subject: null,
    values: statement.values,
    direction: parts.direction ?? null,
    negative: parts.negative ?? false,
    statement: statement.text,
    figures: statement.figures,
    names: statement.names,
    links: [],
    certain: parts.certain ?? false,
  }
}

/** Two prices, their difference and its direction. */
function move(source: FactSource) {
  const from = source.price()
  const up = source.random.chance(0.5) ? from < 0.8 : from < 0.2
  const size = 0.06 + source.random.below(20) / 200
  const to = Math.round((from + (up ? size : -size)) * 200) / 200
  const bounded = Math.min(0.985, Math.max(0.015, to))
  const delta = Math.round(Math.abs(bounded - from) * 1000) / 1000
  return { from, to: bounded, delta, direction: bounded > from ? "up" as const : "down" as const }
}

type Maker = (source: FactSource) => Omit<Fact, "id">

const mover: Maker = (source) => {
  const { question, outcome } = source.market()
  const { from, to, delta, direction } = move(source)
  return factOf(
    "mover",
    phrase`${value("outcome", name(outcome))} in ${value("market", name(question))} ${
      direction === "up" ? "rose" : "fell"
    } ${value("change", change(delta))} within ${
      value("window", duration(source.random.pick([hour, day])))
    }, from ${value("from", price(from))} to ${value("to", price(to))}, seen at ${
      value("at", time(source.time(4)))
    }. The move was ${
      value("deviations", deviations(3 + source.random.below(120) / 10))
    } of the usual change, with ${
      value("depth", usd(source.usd()))
    } of depth near the price and a spread of ${
      value("spread", change((1 + source.random.below(6)) / 200 + 0.0005))
    }.`,
    { direction },
  )
}

const entry: Maker = (source) => {
  const { question, outcome } = source.market()
  const labelled = source.random.chance(0.7)
  const mean = 0.3 + source.random.below(400) / 1000
  const win = Math.min(0.95, Math.max(0.05, mean + (source.random.below(300) - 150) / 1000))
  const base = phrase`${value("wallet", name(source.wallet()))} bought ${
    value("outcome", name(outcome))
  } in ${value("market", name(question))} for ${
    value("stake", usd(source.usd()))
  } at a mean price of ${value("entryPrice", price(source.price()))}, the last fill at ${
    value("lastAt", time(source.time(6)))
  }.`
  if (!labelled) {
    return factOf(
      "whale_entry",
      phrase`${base} Too little is known about this wallet to label it.`,
      {
        negative: true,
      },
    )
  }
  return factOf(
    "whale_entry",
    phrase`${base} The wallet is labelled ${
      value("label", word(source.random.pick(["follow", "fade", "neutral"])))
    }: over ${
      value("resolved", count(30 + source.random.below(200), "past entry", "past entries"))
    } its win rate was ${value("winRate", rate(win))} at a mean entry price of ${
      value("meanEntryPrice", price(mean))
    }, an edge of ${value("edge", rate(Math.round((win - mean) * 1000) / 1000))}.`,
  )
}

const proposal: Maker = (source) => {
  const { question, outcome } = source.market()
  const hours = 3 + source.random.below(37)
  return factOf(
    "predetermined",
    phrase`${value("outcome", name(outcome))} of ${
      value("market", name(question))
    } was proposed at the venue at ${
      value("proposedAt", time(today - hours * hour))
    } and has been undisputed for ${value("age", duration(hours * hour))}; its price is ${
      value("price", price(source.price(0.1, 0.97)))
    }, and the confidence is ${value("confidence", word(source.random.pick(["medium", "high"])))}.`,
  )
}

const resolution: Maker = (source) => {
  const { question, outcome } = source.market()
  return factOf(
    "resolution",
    phrase`${value("market", name(question))} resolved as ${value("outcome", name(outcome))} at ${
      value("at", time(source.time(20)))
    }.`,
    { certain: true },
  )
}

const news: Maker = (source) => {
  const market = source.market()
  const first = source.time(10)
  const outlets = 2 + source.random.below(5)
  return factOf(
    "news",
    phrase`${value("headline", name(source.headline(market)))} was first published by ${
      value("publisher", name(source.publisher()))
    } at ${value("publishedAt", time(first))}; ${
      value("outlets", count(outlets, "outlet"))
    } carried it, the last at ${
      value("lastAt", time(first + minute * (5 + source.random.below(50))))
    }. It is related to ${value("market", name(market.question))}.`,
  )
}

const upcoming: Maker = (source) => {
  const { question, outcome } = source.market()
  const hours = 3 + source.random.below(37)
  return factOf(
    "upcoming",
    phrase`${value("market", name(question))} is due to end at ${
      value("endsAt", time(today + hours * hour))
    }, in ${value("left", duration(hours * hour))}, with ${value("outcome", name(outcome))} at ${
      value("price", price(source.price()))
    } and ${value("liquidity", usd(source.usd()))} of liquidity.`,
  )
}

const marketFact: Maker = (source) => {
  const { question, outcome } = source.market()
  return factOf(
    "market",
    phrase`The market is ${value("market", name(question))}; ${
      value("outcome", name(outcome))
    } costs ${value("price", price(source.price()))}. So far ${
      value("volume", usd(100_000 + source.usd()))
    } was traded, and it ends on ${
      value("endsAt", time(today + day * (2 + source.random.below(20))))
    }.`,
  )
}

const priceFact: Maker = (source) => {
  const { from, to, delta, direction } = move(source)
  return factOf(
    "price",
    phrase`In the last ${
      value("window", duration((5 + source.random.below(35)) * hour))
    } the price ${direction === "up" ? "rose" : "fell"} by ${
      value("change", change(delta))
    }, from ${value("from", price(from))} to ${value("to", price(to))}.`,
    { direction },
  )
}

const book: Maker = (source) => {
  const bid = source.price(0.1, 0.85)
  const cents = 1 + source.random.below(5)
  const ask = Math.round((bid + cents / 100) * 1000) / 1000
  return factOf(
    "book",
    phrase`The best bid is ${value("bid", price(bid))} and the best ask is ${
      value("ask", price(ask))
    }, a spread of ${value("spread", change(cents / 100))}; the book has ${
      value("depth", usd(source.usd()))
    } of depth near the midpoint. Break-even at the ask is ${
      value("breakEven", rate(ask))
    }, and a round trip costs ${
      value("roundTrip", rate(Math.round(cents / 100 / ask * 1000) / 1000))
    }.`,
  )
}

const whale: Maker = (source) => {
  const mean = 0.3 + source.random.below(400) / 1000
  return factOf(
    "whale",
    phrase`The tracked wallet ${value("wallet", name(source.wallet()))} bought ${
      value("outcome", name(source.random.pick(["Yes", "No"])))
    } at ${value("entryPrice", price(source.price()))} for ${
      value("stake", usd(source.usd()))
    }, starting ${
      value("age", duration((3 + source.random.below(37)) * hour))
    } before this report. Over ${
      value("resolved", count(30 + source.random.below(200), "past entry", "past entries"))
    } its win rate is ${
      value("winRate", rate(0.3 + source.random.below(400) / 1000))
    } at a mean price of ${value("meanEntryPrice", price(mean))}; it is labelled ${
      value("label", word(source.random.pick(["follow", "fade", "neutral"])))
    }.`,
  )
}

const relation: Maker = (source) => {
  const [first, second] = [source.market(), source.market()]
  const [a, b] = [source.price(0.1, 0.5), source.price(0.55, 0.9)]
  return factOf(
    "relation",
    phrase`${value("outcome", name(first.outcome))} in ${
      value("market", name(first.question))
    } costs ${value("price", price(a))}, and ${value("outcome2", name(second.outcome))} in ${
      value("market2", name(second.question))
    } costs ${
      value("price2", price(b))
    }: the two contradict each other, with a riskless spread of ${
      value("riskless", change(Math.round((b - a) * 1000) / 1000))
    } before fees.`,
  )
}

const record: Maker = (source) =>
  factOf(
    "record",
    phrase`Of ${value("resolved", count(40 + source.random.below(300), "move"))} like this, ${
      value("kept", rate(0.3 + source.random.below(600) / 1000))
    } kept at least half of the move after a day.`,
  )

const coverage: Maker = (source) =>
  source.random.chance(0.5)
    ? factOf(
      "coverage",
      phrase`The prices of ${
        value("markets", count(20 + source.random.below(200), "market"))
      } and the entries of ${
        value("wallets", count(20 + source.random.below(100), "wallet"))
      } were watched.`,
    )
    : factOf(
      "coverage",
      source.random.pick([
        phrase`No tracked wallet labelled follow or fade opened a position.`,
        phrase`No market moved far enough to be reported.`,
        phrase`Whether a headline moved the price is not known.`,
      ]),
      { negative: true },
    )

export const makers: Readonly<Record<string, Maker>> = {
  ...{ mover, whale_entry: entry, predetermined: proposal, resolution, news, upcoming },
  ...{ market: marketFact, price: priceFact, book, whale, relation, record, coverage },
}

/** A brief with two facts of every kind. */
export function typedBrief(seed: number): ReadonlyArray<Fact> {
  const source = new FactSource(seed)
  return Object.values(makers).flatMap((make) => [make(source), make(source)])
    .map((fact, n) => ({ ...fact, id: `F${n + 1}` }))
}
