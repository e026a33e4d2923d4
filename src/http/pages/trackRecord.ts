/**
 * /track-record: how the published numbers did. It opens with what a buyer should know first, each with
 * its plot: whether copying pays, whether prices were fair, and whether moves went on. The rest is folded.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { hour } from "../../core/domain/time.ts"
import { topWalletsMax } from "../../track-record/domain/scorecard.ts"
import { scoredEntriesMax, scoredEventsMin } from "../../track-record/domain/entryScore.ts"
import type { MovePhase } from "../../feed/domain/item.ts"
import { eventsMin } from "../../track-record/domain/moverDrift.ts"
import { forecastsEveryMs, forecastsMax } from "../../track-record/domain/forecasts.ts"
import { nearCertainPriceMin } from "../../whales/domain/entry.ts"
import { falseDiscoveryRateMax } from "../../whales/domain/label.ts"
import { fadePriceMin } from "../../whales/domain/oddsBands.ts"
import { intervalChart } from "./charts.ts"
import { cite, type Cited, difference, items, total } from "./cited.ts"
import { pagePaths } from "./paths.ts"
import { type Block, columns, type Page, type Section } from "./sections.tsx"
import {
  cents,
  code,
  type Estimate,
  estimate,
  estimateOf,
  type Form,
  type Inline,
  name,
  num,
  percent,
  price,
  range,
  say,
  score,
  signedPercent,
  signedScore,
  strong,
  time,
  wholeUsd,
} from "./text.tsx"

type TrackRecord = typeof freeRows["track_record"]["body"]["Type"]
type Record = Cited<TrackRecord>

const source = freeRows.track_record.path

export const trackRecordMeta = {
  path: pagePaths.trackRecord,
  title: "Track record",
  description:
    "How the published entries, labels, moves and outcomes did afterwards, with intervals and methods.",
  json: [source],
} as const

export function trackRecordPage(record: TrackRecord): Page {
  const of = cite(source, record)
  const { asOf, computedAt } = record
  const coverage = of.at("coverage")
  return {
    title: "Track record",
    lead:
      "How the entries of tracked wallets and the published items did afterwards. Nothing is left " +
      "out because it lost.",
    blocks: [
      {
        small: say`${num(coverage.at("resolvedEntries"))} resolved entries of ${
          num(coverage.at("trackedWallets"))
        } tracked wallets; ${
          num(coverage.at("cancelledEntries"))
        } more in cancelled markets count nowhere. Wallets read: ${
          time(asOf.wallets)
        }. Items scored: ${time(asOf.scores)}. Wallets judged: ${time(computedAt)}.`,
      },
    ],
    sections: [copying(of), calibration(of), moves(of), {
      id: "more",
      title: "More questions",
      blocks: [
        predetermined(of),
        probabilities(of),
        resolutions(of),
        labels(of),
        published(of),
        laterPrices(of),
        wallets(of),
        {
          folded: "How to read all of this",
          blocks: [
            "An interval at the 95 % level misses the true value in about one of twenty cases, if its " +
            "assumptions hold. It holds for one figure at one time: who looks at many figures, or every day, " +
            "sees more misses.",
            record.method.reading,
            record.disclaimer,
          ],
        },
        { json: [source] },
      ],
    }],
  }
}

const meanOf = (mean: Cited<{ value: number; low: number; high: number } | null>): Estimate =>
  estimateOf(mean.at("value"), mean.at("low"), mean.at("high"))

interface FigureRow {
  readonly label: string
  /** The first cell of its row; the label where it is absent. */
  readonly head?: Child
  readonly of: Estimate
  /** The cells between the first one and the value. */
  readonly cells: ReadonlyArray<Child>
}

/** The plot of these rows, and below it their numbers and the method, folded. */
function figure({ title, form, baseline, rows, caption, empty, names, more = [] }: {
  /** What the value is, as it names its column. */
  readonly title: string
  readonly form: Form
  readonly baseline: readonly [value: number, meaning: string]
  readonly rows: ReadonlyArray<FigureRow>
  readonly caption: Inline
  readonly empty: Inline
  /** The column of labels, and those of cells. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
  /** Below the table: the method, and what belongs to it. */
  readonly more?: ReadonlyArray<Block>
}): ReadonlyArray<Block> {
  const intervals = rows.map(({ label, of: { value, low, high } }) => ({
    label,
    value: value.value,
    low: low.value,
    high: high.value,
  }))
  const table = {
    caption: title,
    columns: columns(...names, title, "95 % interval"),
    rows: rows.map(({ label, head = label, of: { value, low, high }, cells }) => [
      head,
      ...cells,
      num(value, form),
      range(low, high, form),
    ]),
  }
  return [
    { plot: intervalChart({ title, form, baseline, rows: intervals }), caption, empty },
    { folded: "Numbers and method", blocks: [{ table, empty: "None yet." }, ...more] },
  ]
}

/** Which side of zero an interval is on. */
const reading = (
  { low, high }: Estimate,
  words: { readonly above: string; readonly below: string; readonly neither: string },
): string =>
  low.value === null || high.value === null
    ? "Not known yet."
    : low.value > 0
    ? words.above
    : high.value < 0
    ? words.below
    : words.neither

const followingOf = (
  of: Record,
): Estimate => (estimateOf(
  of.at("overall").at("followRoiCostWeighted"),
  of.at("overall").at("followRoiLow"),
  of.at("overall").at("followRoiHigh"),
))

function copying(of: Record): Section {
  const overall = of.at("overall")
  const following = followingOf(of)
  const fading = estimateOf(
    overall.at("fadeRoiCostWeighted"),
    overall.at("fadeRoiLow"),
    overall.at("fadeRoiHigh"),
  )
  const copied = (label: string, figure: "copiedRoi1m" | "copiedRoi60m") => ({
    label,
    of: meanOf(overall.at(figure)),
    cells: [],
  })
  const resolved = of.at("coverage").at("resolvedEntries")
  const verdict = following.value.value === null
    ? [strong("Not known yet: no counted entry has resolved.")]
    : say`${
      strong(reading(following, {
        above: "It gained, on paper.",
        below: "No, it lost.",
        neither: "No gain and no loss is shown.",
      }))
    } Return per USD: ${estimate(following, signedPercent)}, from ${
      num(resolved)
    } resolved entries, as certain as ${
      num(overall.at("effectiveEntries"))
    } independent ones of equal stake. This assumes the prices that the wallets paid; a follower pays more.`
  return {
    id: "returns",
    title: "Does copying every tracked wallet pay?",
    blocks: [
      verdict,
      ...figure({
        title: "Return per USD, after fees",
        form: signedPercent,
        baseline: [0, "no gain, no loss"],
        rows: [
          { label: "Following all, at their own prices", of: following, cells: [] },
          copied("Copying published entries at the ask, a minute later", "copiedRoi1m"),
          copied("The same, an hour later", "copiedRoi60m"),
          { label: "Fading all, against these prices", of: fading, cells: [] },
        ],
        caption:
          "The return per USD, with its 95 % interval, on buying the same outcome as every tracked wallet (following) or the other outcome (fading).",
        empty: say`${num(resolved)} entries resolved yet, so no return is known.`,
        names: ["What is bought"],
        more: [
          "Every entry is copied at the wallet's own price, in proportion to its stake, and held to the payout. A real copier buys later and pays more: the two rows of published entries, which have no result for few events. The intervals are clustered by event, never narrower than at fair prices, and as wide as if all wallets held the same positions: more wallets do not narrow them. " +
          `Fading buys the other outcome at 1 minus the price, without a spread, and leaves out prices below ${fadePriceMin}; real fading costs more. ` +
          "Effective entries: of one wallet the squared sum of costs over the sum of squared costs, by event (Kish).",
        ],
      }),
    ],
  }
}

function calibration(of: Record): Section {
  const rows = items(of.at("oddsBands")).map((band) => {
    const paid = band.at("meanEntryPrice")
    const won = band.at("winRate")
    return {
      label: `Paid ${price(band.value.from)} to ${price(band.value.to)}`,
      head: range(band.at("from"), band.at("to"), price),
      of: {
        value: difference(won, paid),
        low: difference(band.at("winRateLow"), paid),
        high: difference(band.at("winRateHigh"), paid),
      },
      cells: [num(band.at("entries")), num(paid, price), num(won, percent)],
    }
  })
  const named = (words: string, differs: (of: Estimate) => boolean) => {
    const found = rows.filter(({ of }) => differs(of)).map(({ label }) => label.toLowerCase())
    return found.length === 0 ? [] : [`${words}: ${found.join("; ")}.`]
  }
  const found = [
    ...named("More often", ({ low }) => (low.value ?? 0) > 0),
    ...named("Less often", ({ high }) => (high.value ?? 0) < 0),
  ]
  const verdict = rows.every(({ of }) => of.value.value === null)
    ? "Not known yet: no counted entry has resolved."
    : found.length === 0
    ? "No difference is shown."
    : found.join(" ")
  return {
    id: "calibration",
    title: "Do outcomes win as often as their prices say?",
    blocks: [
      [strong(verdict)],
      ...figure({
        title: "Share that won, less the mean price paid",
        form: signedPercent,
        baseline: [0, "fair price"],
        rows,
        caption:
          "Entries of tracked wallets by the price paid: the share that won, less the mean price, with its 95 % interval. At zero a buyer got what the price said.",
        empty: say`${num(of.at("coverage").at("resolvedEntries"))} entries resolved yet.`,
        names: ["Price paid", "Entries", "Mean price", "Won"],
        more: [
          sweeps(of.at("sweeps")),
          "An entry is a run of buys of one outcome by one wallet, judged as if held to the payout. All counted entries of all tracked wallets are here, winning or losing. The interval is Wilson's at the 95 % level: entries of one event count as one, and it is as wide as if all wallets held the same positions. Entries paid in part count for the mean price, not for the win rate. The JSON has the return of each band.",
        ],
      }),
    ],
  }
}

const sweeps = (of: Cited<TrackRecord["sweeps"]>): Inline =>
  say`Sweeps, entries at ${nearCertainPriceMin} or above, collect what a decided market still pays and are in no other figure: ${
    num(of.at("entries"))
  } entries of ${num(of.at("stakeUsd"), wholeUsd)} at a mean price of ${
    num(of.at("meanEntryPrice"), price)
  }, won ${num(of.at("winRate"), percent)}, return ${num(of.at("followRoi"), signedPercent)}.`

const horizons = {
  after1h: "An hour later",
  after6h: "Six hours later",
  after24h: "A day later",
} as const

function moves(of: Record): Section {
  const movers = of.at("movers")
  const rowOf = (horizon: keyof typeof horizons, phase: MovePhase) => {
    const drift = movers.at("drift").at(horizon).at(phase)
    const counts = [num(drift.at("moves")), num(drift.at("events"))]
    const shares = [drift.at("shareKept"), drift.at("martingaleShareKept")]
    return {
      label: `${horizons[horizon]}, ${phase}`,
      of: estimateOf(drift.at("meanDrift"), drift.at("driftLow"), drift.at("driftHigh")),
      cells: [...counts, ...shares.map((share) => num(share, percent))],
    }
  }
  const rows = (["after1h", "after6h", "after24h"] as const)
    .flatMap((horizon) => [rowOf(horizon, "running"), rowOf(horizon, "settled")])
  return {
    id: "movers",
    title: "Do published moves continue?",
    blocks: [
      moveVerdict(of, rowOf("after1h", "settled").of, rowOf("after24h", "settled").of),
      ...figure({
        title: "Mean drift, cents per share",
        form: cents,
        baseline: [0, "fair price"],
        rows: rows.filter(({ of }) => of.value.value !== null),
        caption:
          "The mean change of the price after a mover was published, in the direction of the move, with its 95 % interval; zero is what a fair price does.",
        empty: say`No drift is known yet: it needs ${eventsMin} independent events.`,
        names: ["After publication", "Movers", "Events", "Kept half", "At a fair price"],
        more: [
          say`${num(movers.at("emitted"))} movers were published. Of ${
            num(movers.at("judgedAfter24h"))
          } judged after a day ${num(movers.at("persistedAfter24h"))} kept half; of ${
            num(movers.at("unknownAfter24h"))
          } the price was not known.`,
          "A high share that kept half is no evidence: at a fair price most moves keep half for an hour. “At a fair price” is that share of the same moves if each later change were less the mean drift. " +
          "Running: published while the price still moved; settled: after 40 minutes near one price. One move can be both. " +
          "The intervals are clustered by event and by UTC day with Student's quantile; two events of 50 cents, one in each direction, are added to the variance, so that an interval without a jump so far does not exclude jumps. They assume that moves of different events and days are independent.",
        ],
      }),
    ],
  }
}

function moveVerdict(of: Record, afterHour: Estimate, afterDay: Estimate): Inline {
  if (afterHour.value.value === null && afterDay.value.value === null) {
    return say`**Not known yet: too few independent events have been judged.** Movers judged after an hour: ${
      num(of.at("movers").at("judgedAfter1h"))
    }.`
  }
  const [when, last] = afterDay.value.value === null
    ? ["after an hour", afterHour] as const
    : ["after a day", afterDay] as const
  return say`${
    strong(reading(last, {
      above: `Prices went on, ${when}.`,
      below: `No, prices went back, ${when}.`,
      neither: `No drift is shown ${when}.`,
    }))
  } Drift of settled moves per share, in the direction of the move: ${
    estimate(afterHour, cents)
  } after an hour, ${estimate(afterDay, cents)} after a day.`
}

type Kind = TrackRecord["predetermined"]["byKind"]["evidence" | "proposal"]

function predetermined(of: Record): Block {
  const byKind = of.at("predetermined").at("byKind")
  const kinds: ReadonlyArray<readonly [string, Cited<Kind>]> = [
    ["Evidence", byKind.at("evidence")],
    ["Proposals", byKind.at("proposal")],
  ]
  const record = byKind.at("proposal").at("record")
  const evidence = byKind.at("evidence")
  return {
    folded: "Were predetermined outcomes right?",
    blocks: [
      evidence.value.resolved === 0 && record.value === null
        ? [strong("Not known yet: no published item has a result.")]
        : say`${
          strong(say`${num(evidence.at("correct"))} of ${num(evidence.at("resolved"))} were paid`)
        } of those with evidence; no interval is computed. Proposals alone, a weaker kind, that were upheld: ${
          estimate(
            estimateOf(
              record.at("upheldRate"),
              record.at("upheldRateLow"),
              record.at("upheldRateHigh"),
            ),
            percent,
          )
        }; at fair prices ${num(byKind.at("proposal").at("meanPrice"), percent)} would be.`,
      {
        table: {
          caption: "Published items by kind",
          columns: columns("Kind", "Published", "Right", "Wrong", "Split", "Cancelled", "Open"),
          rows: kinds.map(([label, kind]) => [
            label,
            num(kind.at("emitted")),
            num(kind.at("correct")),
            num(total([kind.at("resolved")], [kind.at("correct")])),
            num(kind.at("uneven")),
            num(kind.at("cancelled")),
            num(total([kind.at("emitted")], [
              kind.at("resolved"),
              kind.at("uneven"),
              kind.at("cancelled"),
            ])),
          ]),
        },
      },
      "Evidence: a headline or the venue's proposal said that the outcome was decided. Proposals: outcomes that were proposed at the venue and not disputed, at a price from 0.90. Every published item counts. An item is right when its outcome was paid in full. In the share that was upheld, a split payout and a cancelled market count as not upheld. Its interval is Wilson's at the 95 % level and treats proposals as independent.",
    ],
  }
}

const comparisons = {
  too_few: "Not known yet: too few independent events have been judged.",
  no_view: "Not tested yet: no report has differed from the market.",
  better: "Yes: they were nearer to the later price than the market was.",
  worse: "No: the market was nearer to the later price.",
  no_difference: "No difference to the market's price is shown.",
} as const satisfies { [Name in TrackRecord["estimates"]["comparison"]]: string }

function probabilities(of: Record): Block {
  const estimates = of.at("estimates")
  return {
    folded: "Are the probabilities of reports better than the price?",
    blocks: [
      say`${strong(comparisons[estimates.value.comparison])} Squared error, lower is better: ${
        num(estimates.at("brier"), score)
      } of the stated probabilities, ${
        num(estimates.at("midBrier"), score)
      } of the market's price; the difference is ${
        estimate(
          estimateOf(
            estimates.at("difference"),
            estimates.at("differenceLow"),
            estimates.at("differenceHigh"),
          ),
          signedScore,
        )
      }.`,
      {
        table: {
          caption: "Stated probabilities of the last year",
          columns: columns(
            ...["Stated", "Judged", "Not judged", "Differed from the market", "Events"] as const,
            ...["Intervals", "Contained the price"] as const,
          ),
          rows: [[
            num(estimates.at("estimates")),
            num(estimates.at("judged")),
            num(estimates.at("unknown")),
            num(estimates.at("views")),
            num(estimates.at("events")),
            num(estimates.at("intervals")),
            num(estimates.at("coverage"), percent),
          ]],
        },
      },
      "Each probability is compared, a day later, with the market's price then, or with the payout where the market was paid; so is the price of the moment it was stated. The interval is clustered by event. A report also states where nine of ten prices are a day later: “contained the price” is meant to be 90 %.",
    ],
  }
}

function resolutions(of: Record): Block {
  const record = of.at("resolutions")
  const { brier, baseRateBrier, endDateBrier } = record.value
  const isBest = brier !== null && brier < Math.min(baseRateBrier ?? 1, endDateBrier ?? 1)
  return {
    folded: "Do markets resolve when we expect it?",
    blocks: [
      [strong(
        brier === null
          ? "Not known yet: no forecast has been judged."
          : isBest
          ? "The score is better than both baselines."
          : "The score is not better than both baselines.",
      )],
      {
        table: {
          caption:
            "Brier score of a forecast that a market resolves within 24 hours: lower is better",
          columns: columns("Forecast", "Brier score"),
          rows: [
            ["This service", num(record.at("brier"), score)],
            ["Always the share that resolved", num(record.at("baseRateBrier"), score)],
            ["The end date alone", num(record.at("endDateBrier"), score)],
          ],
        },
      },
      say`Of ${num(record.at("forecasts"))} stored forecasts ${
        num(record.at("judged"))
      } are judged, of which ${num(record.at("resolvedWithin24h"))} markets had resolved; of ${
        num(record.at("unknown"))
      } the venue gave no time. No interval is computed: many forecasts are about the same market.`,
      `Every ${forecastsEveryMs / hour} hours up to ${forecastsMax} forecasts are stored ` +
      "and judged by the venue's resolution a day later. The share that resolved is known only afterwards, so it is a favoured baseline. “The end date alone” says 1 when the market's end date is within 24 hours or past, else 0.",
    ],
  }
}

function labels(of: Record): Block {
  const counts = of.at("labels")
  const coverage = of.at("coverage")
  const leftOut = coverage.at("leftOut")
  return {
    folded: "Which wallets are proven better or worse than their prices?",
    blocks: [
      coverage.value.labeledWallets === 0
        ? [strong("Not known yet: no wallet has enough resolved entries to be judged.")]
        : say`${
          strong(
            say`${num(counts.at("follow"))} better (follow), ${
              num(counts.at("fade"))
            } worse (fade)`,
          )
        } of ${num(coverage.at("labeledWallets"))} judged wallets; ${
          num(counts.at("neutral"))
        } are neutral, the expected label: most wallets buy at fair prices.`,
      say`Not judged: ${num(leftOut.at("unread"))} wallets of which the history is not read yet, ${
        num(leftOut.at("truncated"))
      } of which the venue has not all of it, and ${
        num(leftOut.at("tooFew"))
      } with too few resolved entries or events.`,
      say`A wallet to follow or to fade passes a test of fair prices that stays valid however often it is repeated (an e-value), corrected over all judged wallets at a false discovery rate of ${
        percent(falseDiscoveryRateMax)
      }. The test assumes that events are independent. A label needs ${
        num(of.at("method").at("minimumResolved"))
      } resolved entries in ${
        num(of.at("method").at("minimumEvents"))
      } events and a complete history. It describes the past of a wallet; the next question is about what came after it.`,
    ],
  }
}

const labelTitles = [
  ["follow", "Follow"],
  ["fade", "Fade"],
  ["neutral", "Neutral"],
  ["none", "No label"],
] as const

const clustered =
  "The intervals are clustered by event with Student's quantile, and assume that events are independent. " +
  `A figure needs ${scoredEventsMin} of them; below that it is not known. `

function published(of: Record): Block {
  const rows = labelTitles.map(([label, title]) => {
    const entry = of.at("whaleEntries").at(label)
    return {
      label: title,
      of: meanOf(entry.at("roiAtAsk")),
      cells: (["published", "resolved", "events", "withoutBook", "cancelled"] as const)
        .map((count) => num(entry.at(count))),
    }
  })
  return {
    folded: "How did published entries do?",
    blocks: figure({
      title: "Return per USD at the published ask, after the fee",
      form: signedPercent,
      baseline: [0, "no gain, no loss"],
      rows,
      caption:
        "The return per USD, with its 95 % interval, on buying at the price offered when the entry was published, by the label that was published with it.",
      empty: "No label has enough resolved entries for a return yet.",
      names: ["Label", "Published", "Resolved", "Events", "Without a book", "Cancelled"],
      more: [
        "These entries were published before their markets resolved, so this is out of sample. A fade entry counts as a purchase of the other outcome. Equal stakes, held to the payout. Without skill the return is about minus the fee and half of the spread. " +
        clustered +
        `Only the newest ${
          scoredEntriesMax.toLocaleString("en-US")
        } published entries are counted. The JSON has the same by the delay of the purchase.`,
      ],
    }),
  }
}

function laterPrices(of: Record): Block {
  const rows = labelTitles.map(([label, title]) => {
    const line = of.at("whaleEntries").at(label).at("closingLine")
    return {
      label: title,
      of: meanOf(line.at("fromEntryPrice")),
      ask: meanOf(line.at("fromAsk")),
      cells: [num(line.at("entries")), num(line.at("events")), num(line.at("unknown"))],
    }
  })
  return {
    folded: "Did prices move towards the published entries?",
    blocks: figure({
      title: "Later price less the wallet's, cents per share",
      form: cents,
      baseline: [0, "no change"],
      rows,
      caption:
        "The mean change from the wallet's entry price to the price a day later, with its 95 % interval; above zero, the price went the way of the label.",
      empty: "Too few independent events for an interval yet.",
      names: ["Label", "Entries", "Events", "Unknown"],
      more: [
        {
          table: {
            caption: "The same from the ask that was published, which a follower pays",
            columns: columns("Label", "Cents per share", "95 % interval"),
            rows: rows.map(({ label, ask }) => [
              label,
              num(ask.value, cents),
              range(ask.low, ask.high, cents),
            ]),
          },
        },
        "The later price is the middle of the book a day after publication (after the resolution: the payout). Entries without such a price are unknown. For a fade, prices are those of the other outcome. " +
        clustered,
      ],
    }),
  }
}

/** A longer pseudonym is cut: the address next to it identifies the wallet. */
const pseudonymLengthMax = 40

const wallets = (of: Record): Block => ({
  folded: "Which wallets have the largest stakes?",
  blocks: [
    "By the stake of their resolved entries, winning or losing. The list is no ranking of skill: compare each win rate with the mean price paid.",
    {
      table: {
        caption: `Judged wallets by stake, at most ${topWalletsMax}`,
        columns: [
          ...columns("Wallet", "Resolved entries", "Stake", "Mean price", "Won"),
          { title: "Label" },
        ],
        rows: items(of.at("topWallets")).map(({ at, value: { pseudonym, wallet, label } }) => [
          say`${name(pseudonym, pseudonymLengthMax)} ${
            code(`${wallet.slice(0, 6)}…${wallet.slice(-4)}`)
          }`,
          num(at("resolvedEntries")),
          num(at("stakeUsd"), wholeUsd),
          num(at("meanEntryPrice"), price),
          num(at("winRate"), percent),
          label,
        ]),
      },
      empty: "No wallet has a judged record yet.",
    },
  ],
})
