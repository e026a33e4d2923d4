/**
 * What tracked wallets bought, and what copying it returned.
 *
 * @module
 */
import { topWalletsMax } from "../../../track-record/domain/scorecard.ts"
import { nearCertainPriceMin } from "../../../whales/domain/entry.ts"
import { fadePriceMin } from "../../../whales/domain/oddsBands.ts"
import { calibrationChart, intervalChart } from "../charts/charts.ts"
import { items } from "../cited.ts"
import { count, Figure, Name, percent, price, signedPercent, Table, Value } from "../parts.tsx"
import { cell, columns, ends, type SectionProps, source, usd } from "./cells.tsx"

export function Calibration({ of }: SectionProps) {
  const bands = of.value.oddsBands
  return (
    <Figure
      id="calibration"
      title="Do outcomes win as often as their prices say?"
      caption="Each point is a band of entry prices: across, the mean price paid, and up, the share of these entries that won with its 95 % interval; on the diagonal, both are equal."
      svg={calibrationChart({
        prefix: "calibration-chart",
        title: "Share of entries that won, by price paid",
        description: bands.map((band) =>
          `Paid ${price(band.meanEntryPrice)}, won ${percent(band.winRate)} of ${
            count(band.entries)
          } entries.`
        ).join(" "),
        bands: bands.map((band) => ({
          label: band.band,
          price: band.meanEntryPrice,
          winRate: band.winRate,
          low: band.winRateLow,
          high: band.winRateHigh,
          entries: band.entries,
        })),
      })}
      empty={
        <>
          <Value of={of.at("coverage").at("resolvedEntries")} as={count} /> entries resolved yet.
        </>
      }
      table={
        <>
          <Bands of={of} />
          <Sweeps of={of} />
        </>
      }
      method={"An entry is a run of buys of one outcome by one wallet, judged as if held to the payout. All counted entries of all tracked wallets are here, winning or losing. " +
        "The interval is Wilson's at the 95 % level and treats entries as independent. Many entries share a market or an event, so these intervals are too narrow. " +
        "No interval is computed for the returns of a band or of sweeps. A win rate equal to the price is what a buyer without skill gets. " +
        `Entries at ${nearCertainPriceMin} or above (sweeps) collect what a decided market still pays; they are in the table below the bands and in no other figure. ` +
        "Entries paid in part count for the mean price and the return, not for the win rate."}
      json={source}
    />
  )
}

function Bands({ of }: SectionProps) {
  return (
    <Table
      caption="Entries by price paid, USD per share; returns per USD after fees, without an interval"
      columns={columns(
        ...["Price paid", "Entries", "Mean price", "Won", "95 % interval (Wilson)"] as const,
        ...["Return, following", "Return, fading"] as const,
      )}
      rows={items(of.at("oddsBands")).map((band) => [
        ends(band.at("from"), band.at("to"), price),
        cell(band.at("entries"), count),
        cell(band.at("meanEntryPrice"), price),
        cell(band.at("winRate"), percent),
        ends(band.at("winRateLow"), band.at("winRateHigh"), percent),
        cell(band.at("followRoi"), signedPercent),
        cell(band.at("fadeRoi"), signedPercent),
      ])}
    />
  )
}

function Sweeps({ of }: SectionProps) {
  const sweeps = of.at("sweeps")
  return (
    <Table
      caption="Sweeps: entries opened at a price so high that the market was nearly decided; their return has no interval"
      columns={columns("Group", "Entries", "Stake", "Mean price", "Won", "Return, following")}
      rows={[[
        "Sweeps",
        cell(sweeps.at("entries"), count),
        cell(sweeps.at("stakeUsd"), usd),
        cell(sweeps.at("meanEntryPrice"), price),
        cell(sweeps.at("winRate"), percent),
        cell(sweeps.at("followRoi"), signedPercent),
      ]]}
    />
  )
}

const returnsMethod =
  "Every entry is copied at the wallet's own price and held to the payout. A real follower buys later and pays more: the returns at offered prices are under “How did published entries do?”. The return is a ratio of sums, so large stakes count more. The intervals are clustered by event within each wallet, use a normal quantile, and are never narrower than they would be at fair prices. Wallets are treated as independent of each other, although several can hold the same market, so these intervals are still too narrow. " +
  "Fading buys the other outcome at 1 minus the price, " +
  `without a spread, and leaves out prices below ${fadePriceMin}; real fading costs more. ` +
  "Effective entries: the squared sum of costs over the sum of squared costs, by event (Kish)."

export function Returns({ of }: SectionProps) {
  const overall = of.at("overall")
  const { value } = overall
  const sides = [
    {
      label: "Following all",
      roi: overall.at("followRoiCostWeighted"),
      low: overall.at("followRoiLow"),
      high: overall.at("followRoiHigh"),
    },
    {
      label: "Fading all",
      roi: overall.at("fadeRoiCostWeighted"),
      low: overall.at("fadeRoiLow"),
      high: overall.at("fadeRoiHigh"),
    },
  ]
  const resolved = of.at("coverage").at("resolvedEntries")
  return (
    <Figure
      id="returns"
      title="What would copying every entry have returned?"
      caption="Each line is the return per USD, with its 95 % interval, on buying the same outcome as every tracked wallet (following) or the other outcome (fading)."
      svg={value.followRoiCostWeighted === null ? null : intervalChart({
        prefix: "returns-chart",
        title: "Return of following and of fading every entry",
        description: sides.map(({ label, roi, low, high }) =>
          `${label}: ${signedPercent(roi.value)}, ${signedPercent(low.value)} to ${
            signedPercent(high.value)
          }.`
        ).join(" "),
        rows: sides.map(({ label, roi, low, high }) => ({
          label,
          value: roi.value,
          low: low.value,
          high: high.value,
        })),
        baseline: { value: 0, label: "no gain, no loss" },
        form: signedPercent,
      })}
      empty={
        <>
          <Value of={resolved} as={count} /> entries resolved yet, so no return is known.
        </>
      }
      table={
        <Table
          caption="Return per USD, after fees, each entry in proportion to its stake"
          columns={columns("What is bought", "Return", "95 % interval")}
          rows={sides.map(({ label, roi, low, high }) => [
            label,
            cell(roi, signedPercent),
            ends(low, high, signedPercent),
          ])}
        />
      }
      note={
        <>
          From <Value of={resolved} as={count} />{" "}
          resolved entries. A few large stakes decide, so the result of following is only as certain
          as <Value of={overall.at("effectiveEntries")} as={count} />{" "}
          independent entries of equal stake would be.
        </>
      }
      method={returnsMethod}
      json={source}
    />
  )
}

export function TopWallets({ of }: SectionProps) {
  const wallets = items(of.at("topWallets"))
  return (
    <section class="figure" aria-labelledby="wallets">
      <h2 id="wallets">The wallets with the largest stakes</h2>
      <p>
        Listed by the stake of their resolved entries, winning or losing. The list is no ranking of
        skill: compare each win rate with the mean price paid.
      </p>
      {wallets.length === 0 ? <p class="empty">No wallet has a judged record yet.</p> : (
        <Table
          caption={`Judged wallets by stake, at most ${topWalletsMax}`}
          columns={columns(
            ...["Wallet", "Resolved entries", "Stake", "Mean price", "Won", "Label"] as const,
          )}
          rows={wallets.map((wallet) => [
            <WalletName
              key={wallet.from}
              pseudonym={wallet.value.pseudonym}
              wallet={wallet.value.wallet}
            />,
            cell(wallet.at("resolvedEntries"), count),
            cell(wallet.at("stakeUsd"), usd),
            cell(wallet.at("meanEntryPrice"), price),
            cell(wallet.at("winRate"), percent),
            wallet.value.label,
          ])}
        />
      )}
      <p class="source">
        As JSON: <a href={source}>{source}</a>
      </p>
    </section>
  )
}

/** A longer pseudonym is cut: the address next to it identifies the wallet. */
const pseudonymLengthMax = 40

function WalletName({ pseudonym, wallet }: { pseudonym: string; wallet: string }) {
  return (
    <>
      <Name of={pseudonym} max={pseudonymLengthMax} />{" "}
      <code>{`${wallet.slice(0, 6)}…${wallet.slice(-4)}`}</code>
    </>
  )
}
