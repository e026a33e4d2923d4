/**
 * What the pages are made of: figures with their tables, numbers, times and names.
 *
 * @module
 */
import { raw } from "hono/html"
import type { Child } from "hono/jsx"
import { excerpt, safeName } from "../../core/domain/untrusted.ts"
import type { CitedNumber } from "./cited.ts"

/** The text of an unknown number: never 0, and never an empty cell. */
const unknown = "not known"

const percentForm = new Intl.NumberFormat("en-US", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** A share from 0 to 1, as a percentage with one digit. */
export const percent = (share: number | null): string =>
  share === null ? unknown : percentForm.format(share).replace("%", " %")

/** A return per USD, signed, as a percentage with one digit. */
export const signedPercent = (share: number | null): string => {
  if (share === null) return unknown
  const size = percent(Math.abs(share))
  if (size === percent(0)) return size
  return (share > 0 ? "+" : "−") + size
}

/** A price per share from 0 to 1, in USD. */
export const price = (value: number | null): string => value === null ? unknown : value.toFixed(3)

/** A change of a price per share, signed, in USD. */
export const signedPrice = (change: number | null): string => {
  if (change === null) return unknown
  const size = price(Math.abs(change))
  if (size === price(0)) return size
  return (change > 0 ? "+" : "−") + size
}

/** A whole number with thousands separated. */
export const count = (value: number | null): string =>
  value === null ? unknown : value.toLocaleString("en-US")

/**
 * A number as its body has it, in a form for people. Every number of an API on a page is one of these:
 * `data-from` is its place and `value` the number itself, so that a test can compare both.
 */
export function Value({ of: { value, from, less }, as }: {
  of: CitedNumber
  as: (value: number | null) => string
}) {
  return <data value={JSON.stringify(value)} data-from={from} data-less={less}>{as(value)}</data>
}

/** An interval of two numbers in the same form. */
export function Range({ low, high, as }: {
  low: CitedNumber
  high: CitedNumber
  as: (value: number | null) => string
}) {
  return low.value === null ? <Value of={low} as={as} /> : (
    <>
      <Value of={low} as={as} /> to <Value of={high} as={as} />
    </>
  )
}

/** An ISO time, to the minute, in UTC. */
export function Time({ at }: { at: string | null }) {
  return at === null
    ? <>{unknown}</>
    : <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}</time>
}

/** A text that may contain names which strangers chose: one line, cut, in its own direction. */
export function Excerpt({ of, max }: { of: string; max: number }) {
  return <bdi>{excerpt(of, max)}</bdi>
}

/** A name that strangers chose, such as a market's question: one line, cut, in its own direction. */
export function Name({ of, max }: { of: string; max?: number }) {
  return <bdi>{safeName(of, max)}</bdi>
}

interface Column {
  readonly title: string
  readonly numeric?: boolean
}

/** A table of numbers; the first cell of a row is its header. */
export function Table({ caption, columns, rows }: {
  caption: string
  columns: ReadonlyArray<Column>
  rows: ReadonlyArray<ReadonlyArray<Child>>
}) {
  return (
    <div class="scroll" role="region" aria-label={caption} tabindex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, numeric }) => (
              <th key={title} scope="col" class={numeric ? "number" : undefined}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) =>
                column === 0
                  ? <th key={column} scope="row">{cell}</th>
                  : (
                    <td key={column} class={columns[column]?.numeric ? "number" : undefined}>
                      {cell}
                    </td>
                  )
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/**
 * One chart with what a reader needs to trust it: what it shows in one sentence, the numbers, the
 * method, and where they come from.
 */
export function Figure({ id, title, caption, svg, empty, note, table, method, json }: {
  id: string
  title: string
  /** What it shows, in one sentence. */
  caption: Child
  /** The chart as SVG; null while there is nothing to draw. */
  svg: string | null
  /** What the reader sees instead of an empty chart, such as `0 resolved yet`. */
  empty: Child
  /** What a reader must know with it, such as how much it was computed from. */
  note?: Child
  table: Child
  method: Child
  /** The path of the same numbers as JSON. */
  json: string
}) {
  return (
    <section class="figure" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {svg === null ? <p class="empty">{empty}</p> : (
        <figure>
          <div class="chart">{raw(svg)}</div>
          <figcaption>{caption}</figcaption>
        </figure>
      )}
      {note === undefined ? null : <p>{note}</p>}
      <details>
        <summary>Numbers</summary>
        {table}
      </details>
      <details>
        <summary>Method</summary>
        <p>{method}</p>
      </details>
      <p class="source">
        As JSON: <a href={json}>{json}</a>
      </p>
    </section>
  )
}
