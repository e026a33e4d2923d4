/**
 * What an agent says of what it bought: a line each, in plain words.
 *
 * Titles, names and texts were written by strangers: they are made harmless before a terminal shows
 * them.
 *
 * @module
 */
import { type AtomicAmount, usd } from "../../src/core/domain/money.ts"
import { excerpt, named, quoted } from "../../src/core/domain/untrusted.ts"
import type { Digest, Item, Report } from "./items.ts"
import { type Ledger, left, type Limits, type Standing, total } from "./ledger.ts"

const textLengthMax = 240
const headlinesMax = 2

/** One item, in one line. */
export function itemLine(item: Item): string {
  const head = `  #${item.feedIndex}`
  const title = quoted(named(item.title))
  if (!("data" in item)) return `${head} ${named(item.type, 20)}: ${title}`
  switch (item.type) {
    case "mover": {
      const { window, priceStart, priceNow, delta, zScore, confirmedBy, microstructure } = item.data
      return `${head} moved: ${title} ${priceStart} -> ${priceNow} (${sign(delta)}) in ${
        named(window, 8)
      }, z ${zScore.toFixed(1)}, confirmed by ${
        named(confirmedBy, 20)
      }; spread ${microstructure.spread}, ${
        dollars(microstructure.depthUsdWithin5c.total)
      } within 5 cents`
    }
    case "whale_entry": {
      const { pseudonym, outcome, entryPrice, stakeUsd, calibration } = item.data
      const record = calibration === null
        ? "no record yet"
        : `${named(calibration.label, 20)}: won ${
          percent(calibration.winRate)
        } of ${calibration.resolved} resolved, edge ${sign(calibration.edge)}`
      return `${head} whale: ${quoted(named(pseudonym))} (${record}) bought ${
        quoted(named(outcome))
      } of ${title} at ${entryPrice} for ${dollars(stakeUsd)}`
    }
    case "predetermined": {
      const { outcome, statement, confidence, marketPrice, evidence } = item.data
      const sources = evidence.slice(0, headlinesMax).map(({ title, source }) =>
        `${named(source, 40)}: ${quoted(named(title))}`
      )
      return `${head} decided: ${quoted(named(outcome))} of ${title}, ${named(confidence, 20)} ` +
        `confidence, while the price is ${marketPrice}. ${excerpt(statement, textLengthMax)} ` +
        `(${sources.join("; ")})`
    }
  }
}

export function digestLines({ data }: Digest): ReadonlyArray<string> {
  const words = data.fullAnalysis.split(/\s+/).length
  return [
    `  digest of ${named(data.createdAt, 30)}: ${quoted(named(data.title))}, ${words} words`,
    `  ${excerpt(data.summary, textLengthMax)}`,
  ]
}

export function reportLines({ cached, data }: Report): ReadonlyArray<string> {
  const { thesis, confidence, bottomLine } = data.analysis
  return [
    `  report on ${quoted(named(data.market.question))}, ${named(confidence, 20)} confidence${
      cached ? ", made within the last half hour" : ""
    }`,
    `  ${excerpt(thesis, textLengthMax)}`,
    `  ${excerpt(bottomLine, textLengthMax)}`,
  ]
}

/** What was signed and bought, and what the service says of the rest. */
export function summaryLines(ledger: Ledger, limits: Limits): ReadonlyArray<string> {
  const of = (...standings: ReadonlyArray<Standing>) =>
    ledger.filter(({ standing }) => standings.includes(standing))
  const bought = of("charged")
  return [
    `signed     ${money(total(ledger))} of ${money(limits.budget)}; the service says ${
      money(total(of("uncharged")))
    } of it was not taken`,
    `bought     ${bought.length} answers for ${money(total(bought))}`,
    ...bought.map(({ what, price }) => `           ${money(price)}  ${what}`),
    `refunds    ${money(total(of("refunded", "refundQueued")))}; the service says ${
      money(total(of("refunded")))
    } of it is paid back`,
    ...of("signed").map(({ what, price, paymentId }) =>
      `unclear    ${
        money(price)
      } for ${what}: look at GET /v1/payments/${paymentId} before you buy on`
    ),
    `left       ${money(left(ledger, limits))} of ${money(limits.budget)}`,
  ]
}

export function money(amount: AtomicAmount): string {
  return `$${usd(amount)}`
}

function dollars(amount: number): string {
  return `$${Math.round(amount).toLocaleString("en-US")}`
}

function percent(rate: number): string {
  return `${Math.round(rate * 100)}%`
}

function sign(value: number): string {
  return value > 0 ? `+${value}` : `${value}`
}
