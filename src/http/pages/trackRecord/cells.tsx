/**
 * Cells of the track record's tables.
 *
 * @module
 */
import { freeRows } from "../../../catalog/domain/freeRow.ts"
import type { Cited, CitedNumber } from "../cited.ts"
import { Range, Value } from "../parts.tsx"

export type TrackRecord = typeof freeRows["track_record"]["body"]["Type"]

/** The path of the body. */
export const source = freeRows.track_record.path

/** What each section is made from. */
export interface SectionProps {
  readonly of: Cited<TrackRecord>
}

type Form = Parameters<typeof Value>[0]["as"]

/** One number. */
export const cell = (of: CitedNumber, as: Form) => <Value of={of} as={as} />

/** An interval with its lower and upper end. */
export const ends = (low: CitedNumber, high: CitedNumber, as: Form) => (
  <Range low={low} high={high} as={as} />
)

interface Interval {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** A mean and its interval: two cells, both unknown where the mean is null. */
export const meanCells = (mean: Cited<Interval | null>, as: Form) => [
  cell(mean.at("value"), as),
  ends(mean.at("low"), mean.at("high"), as),
]

/** A row of `intervalChart`; null where the mean is not known. */
export const meanRow = (label: string, { value: mean }: Cited<Interval | null>) => ({
  label,
  value: mean?.value ?? null,
  low: mean?.low ?? null,
  high: mean?.high ?? null,
})

/** The titles of a table; the first column names the row, the others are numbers. */
export const columns = (first: string, ...numbers: ReadonlyArray<string>) => [
  { title: first },
  ...numbers.map((title) => ({ title, numeric: true })),
]

/** A difference of prices, signed, in cents of a USD per share. */
export const cents = (usd: number | null): string => {
  if (usd === null) return "not known"
  const size = centsForm.format(Math.abs(usd))
  const sign = size === centsForm.format(0) ? "" : usd > 0 ? "+" : "−"
  return sign + size.replace("%", " ¢")
}
const centsForm = new Intl.NumberFormat("en-US", {
  style: "percent",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})

/** An amount, in whole USD. */
export const usd = (amount: number | null): string =>
  amount === null ? "not known" : `$${Math.round(amount).toLocaleString("en-US")}`

/** A Brier score. */
export const score = (value: number | null): string =>
  value === null ? "not known" : value.toFixed(4)
