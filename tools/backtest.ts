/**
 * `deno task backtest`: what alerts on moves would have earned over the prices in a file.
 *
 * Exit code 0: the file was read. 2: the arguments are wrong, or the file cannot be used.
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import { Console, Effect, Exit } from "effect"
import { Argument, Flag } from "effect/cli"
import { readArguments } from "../src/app/commandLine.ts"
import { untilSignal } from "../src/app/untilSignal.ts"
import {
  addClusters,
  clusteredMean,
  clusterOf,
  type ClusterSums,
  noClusters,
} from "../src/core/domain/clusteredMean.ts"
import { day, isoTime, minute } from "../src/core/domain/time.ts"
import { excerpt } from "../src/core/domain/untrusted.ts"
import { depthUsdMin } from "../src/markets/domain/quality.ts"
import { takerFee } from "../src/markets/domain/quote.ts"
import { readPrices } from "./priceFile.ts"
import { type Alert, type Horizon, horizonMs, replay } from "./priceReplay.ts"

const positive = (name: string, max: number) => (flag: Flag.Flag<number>) =>
  Flag.filter(
    flag,
    (value) => value > 0 && value <= max,
    (value) => `${name} above 0, at most ${max}, not ${value}`,
  )

const spec = {
  name: "deno task backtest",
  description:
    "Replays the movers' rule over the prices in a file, lists its alerts, and prints the profit and " +
    "loss of buying at each alert and selling later, after fees and spread.\n" +
    "The file is CSV with the columns time and price (or bid and ask), and optionally market, event, " +
    'depthUsd, volumeUsd and resolution; or the venue\'s {"history":[{"t","p"}]}.',
  config: {
    file: Argument.String("file").pipe(Argument.withDescription("CSV or JSON")),
    size: Flag.Finite("size").pipe(
      positive("points", 100),
      Flag.withDefault(5),
      Flag.withDescription("The smallest move in points (cents of price), 5 by default"),
    ),
    window: Flag.Literals("window", ["1h", "24h", "both"]).pipe(
      Flag.withDefault("both"),
      Flag.withDescription("The time in which the price moved, both by default"),
    ),
    depth: Flag.Finite("depth").pipe(
      Flag.filter((usd) => usd >= 0, (usd) => `0 or more, not ${usd}`),
      Flag.withDefault(depthUsdMin),
      Flag.withDescription(`The least depth in USD near the price, ${depthUsdMin} by default`),
    ),
    tick: Flag.Finite("tick").pipe(
      positive("minutes", day / minute),
      Flag.withDefault(10),
      Flag.withDescription("Minutes between two prices of a market, 10 by default"),
    ),
    fee: Flag.Finite("fee").pipe(
      Flag.filter((rate) => rate >= 0 && rate <= 1, (rate) => `0 to 1, not ${rate}`),
      Flag.withDefault(0),
      Flag.withDescription("The venue's taker rate: a share at price p costs rate x p x (1 - p)"),
    ),
    spread: Flag.Finite("spread").pipe(
      Flag.filter((points) => points >= 0 && points <= 10, (points) => `0 to 10, not ${points}`),
      Flag.withDefault(1),
      Flag.withDescription("Points between bid and ask where the file has none, 1 by default"),
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print one JSON object"),
    ),
  },
}

/** What one way to trade every alert earned. */
interface Trade {
  /** Buying what rose, or the other outcome. */
  readonly side: "follow" | "fade"
  readonly after: Horizon
  /** Alerts whose later price is known. */
  readonly alerts: number
  readonly events: number
  /**
   * Per USD of cost, with fees; its 95 % interval takes alerts of one event or UTC day as dependent, and is
   * null with one of them.
   */
  readonly return: number
  readonly low: number | null
  readonly high: number | null
  /** With 100 USD in each alert. */
  readonly profitUsd: number
}

const stakeUsd = 100

/** The exit code. */
export const backtest = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const read = yield* readArguments(spec, args)
  if (read === null) return 0
  const { file, size, window, depth, tick, fee, spread, json } = read
  const { rows, bad } = yield* readPrices(file)
  const alerts = replay(rows, {
    tickIntervalMs: tick * minute,
    sizeMin: size / 100,
    windows: window === "both" ? ["1h", "24h"] : [window],
    depthUsdMin: depth,
  })
  const costs = { fee, spread: spread / 100 }
  const trades = (["follow", "fade"] as const).flatMap((side) =>
    (["1h", "24h"] as const).flatMap((after) => tradeOf(alerts, side, after, costs) ?? [])
  )
  const source = {
    file: file.split("/").at(-1) ?? file,
    rows: rows.length,
    markets: new Set(rows.map(({ market }) => market)).size,
    from: isoTime(rows[0]?.at ?? 0),
    to: isoTime(rows.at(-1)?.at ?? 0),
    bad: Object.fromEntries(bad),
  }
  const settings = { size, window, depth, tick, fee, spread }
  const listed = alerts.map(({ at, ...alert }) => ({ at: isoTime(at), ...alert }))
  yield* Console.log(
    json
      ? JSON.stringify({ source, settings, alerts: listed, trades }, null, 2)
      : report(source, settings, alerts, trades),
  )
  return 0
})

/** The return on the cost of one alert; null when the later price is not known. */
export function returnOf(
  { priceStart, priceNow, spread, later }: Alert,
  side: Trade["side"],
  after: Horizon,
  costs: { readonly fee: number; readonly spread: number },
): number | null {
  const end = later[after]
  if (end === null) return null
  const buysFirst = (priceNow > priceStart) === (side === "follow")
  const priceOf = (first: number) => buysFirst ? first : 1 - first
  const half = (spread ?? costs.spread) / 2
  const ask = Math.min(1, priceOf(priceNow) + half)
  const bid = Math.max(0, priceOf(end.price) - half)
  // A payout is neither sold nor charged.
  const value = end.paid ? priceOf(end.price) : bid - takerFee(bid, costs.fee)
  return value / (ask + takerFee(ask, costs.fee)) - 1
}

function tradeOf(
  alerts: ReadonlyArray<Alert>,
  side: Trade["side"],
  after: Horizon,
  costs: { readonly fee: number; readonly spread: number },
): Trade | null {
  const known = alerts.flatMap((alert) => {
    const x = returnOf(alert, side, after, costs)
    return x === null ? [] : [{ x, event: alert.event, day: `${Math.floor(alert.at / day)}` }]
  })
  const byEvent = sumsBy(known, ({ event }) => event)
  const byDay = sumsBy(known, ({ day }) => day)
  const found = clusteredMean(byEvent, {
    second: byDay,
    both: sumsBy(known, ({ event, day }) => `${day} ${event}`),
  })
  if (found === null) return null
  const isKnown = byEvent.clusters > 1 && byDay.clusters > 1
  return {
    side,
    after,
    alerts: byEvent.n,
    events: byEvent.clusters,
    return: found.mean,
    // No more than the stake can be lost.
    low: isKnown ? Math.max(-1, found.low) : null,
    high: isKnown ? found.high : null,
    profitUsd: stakeUsd * byEvent.s,
  }
}

function sumsBy<A extends { readonly x: number }>(
  observed: ReadonlyArray<A>,
  keyOf: (one: A) => string,
): ClusterSums {
  return [...Map.groupBy(observed, keyOf).values()].reduce(
    (sums, cluster) =>
      addClusters(sums, clusterOf(cluster.length, cluster.reduce((sum, { x }) => sum + x, 0))),
    noClusters,
  )
}

const percent = (value: number) => `${(100 * value).toFixed(1)}%`
const cents = (price: number) => (100 * price).toFixed(1)
const nameLengthMax = 48

function report(
  source: Record<"file" | "from" | "to", string> & Record<"rows" | "markets", number> & {
    readonly bad: Readonly<Record<string, { readonly count: number; readonly firstLine: number }>>
  },
  settings: Record<"size" | "depth" | "tick" | "fee" | "spread", number>,
  alerts: ReadonlyArray<Alert>,
  trades: ReadonlyArray<Trade>,
): string {
  const assumed = alerts.filter(({ spread }) => spread === null).length
  const header = ["alert at", "market", "within", "from", "to", "phase"]
  const laterCell = ({ later }: Alert, after: Horizon) => {
    const end = later[after]
    return end === null ? "-" : `${cents(end.price)}${end.paid ? " paid" : ""}`
  }
  const horizons = Object.keys(horizonMs) as ReadonlyArray<Horizon>
  return [
    `${source.file}: ${source.rows} rows of ${source.markets} markets, ${source.from} to ${source.to}`,
    ...Object.entries(source.bad).map(([why, { count, firstLine }]) =>
      `not used: ${count} ${why}, the first in line ${firstLine}`
    ),
    "",
    textTable([...header, ...horizons.map((after) => `after ${after}`)], [
      ...alerts.map((alert) => [
        isoTime(alert.at).slice(0, 16),
        excerpt(alert.market, nameLengthMax),
        alert.window,
        cents(alert.priceStart),
        cents(alert.priceNow),
        alert.phase,
        ...horizons.map((after) => laterCell(alert, after)),
      ]),
    ]),
    `${alerts.length} ${
      alerts.length === 1 ? "alert" : "alerts"
    } of ${settings.size} points and more`,
    "",
    ...trades.length === 0 ? ["No later price is known: nothing can be said of profit."] : [
      textTable(
        ["", "sold after", "alerts", "events", "return", "95 % interval", "profit"],
        trades.map(({ side, after, alerts, events, low, high, profitUsd, ...trade }) => [
          side,
          after,
          `${alerts}`,
          `${events}`,
          percent(trade.return),
          low === null || high === null ? "-" : `${percent(low)} to ${percent(high)}`,
          `${profitUsd.toFixed(2)} USD`,
        ]),
      ),
      `follow buys what rose, fade the other outcome, each for ${stakeUsd} USD at the ask; sold at the ` +
      `bid, taker rate ${settings.fee}.` +
      (assumed === 0 ? "" : ` Without a spread in the file: ${settings.spread} points.`),
    ],
  ].join("\n")
}

/** The first two columns are aligned left, the others right. */
function textTable(
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string {
  const lines = [header, ...rows]
  const widths = header.map((_, n) => Math.max(...lines.map((cells) => cells[n]?.length ?? 0)))
  return lines.map((cells) =>
    cells.map((cell, n) => n < 2 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))
      .join("  ").trimEnd()
  ).join("\n")
}

if (import.meta.main) {
  const cannotRead = 2
  const exit = await untilSignal(
    backtest(Deno.args).pipe(
      Effect.catch(({ message }) => Effect.as(Console.error(message), cannotRead)),
    ),
  )
  Deno.exit(Exit.isSuccess(exit) ? exit.value : cannotRead)
}
