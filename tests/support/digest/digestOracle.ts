/**
 * An independent oracle for the figures and names of a digest: it collects every number, instant and text
 * of the material and formats numbers with Intl.
 *
 * @module
 */
import type { DigestMaterial } from "../../../src/digest/domain/material.ts"
import { readableName } from "../../../src/core/domain/untrusted.ts"

/** Whether a figure comes from the material. */
export type IsTraced = (figure: string) => boolean

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 })

/** Figures of the rules, which do not depend on the material: the windows of moves. */
const rules = ["1 hour", "24 hours"]

export function tracesOf(material: DigestMaterial): IsTraced {
  const leaves = leavesOf(material)
  const numbers = leaves.filter((it) => typeof it === "number")
  const instants = [
    ...numbers.filter((n) => n > 1e12),
    ...leaves.filter((it) => typeof it === "string")
      .filter((it) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(it)).map((it) => Date.parse(it)),
  ]
  const counts = [...numbers, material.movers.length]
  const spelled = new Set<string>([
    ...rules,
    ...instants.flatMap(timesOf),
    ...numbers.map((usd) => `$${whole.format(usd)}`),
    ...numbers.map((z) => `${z < 100 ? z.toFixed(1) : whole.format(z)} standard deviations`),
  ])
  const age = material.until - (material.coverage.venueReadAt ?? 0)
  const { answered = 0, sources = 0 } = material.coverage.news ?? {}
  const outlets = material.stories.map(({ outlets }) => outlets.length - 1)
  return (figure) =>
    spelled.has(figure) || isCount(figure, [...counts, sources - answered, ...outlets]) ||
    isDuration(figure, [age]) || isDecimal(figure, numbers) || isPercent(figure, numbers) ||
    isCents(figure, numbers)
}

/** All primitive values inside a value. */
function leavesOf(value: unknown): ReadonlyArray<unknown> {
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(leavesOf)
    : [value]
}

function timesOf(at: number): ReadonlyArray<string> {
  const [date, time = ""] = new Date(at).toISOString().split("T")
  const clock = `${time.slice(0, 5)} UTC`
  return [clock, `${date} ${clock}`]
}

/** Whether it is one of the numbers with two to five decimals and no trailing zeros. */
function isDecimal(figure: string, numbers: ReadonlyArray<number>): boolean {
  if (!/^\d\.\d{2,5}$/.test(figure) || /\.\d\d+0$/.test(figure)) return false
  return numbers.some((n) => Math.abs(n - Number(figure)) < 0.000_03)
}

function isPercent(figure: string, numbers: ReadonlyArray<number>): boolean {
  const [, n = ""] = /^(-?\d+(?:\.\d)?)%$/.exec(figure) ?? []
  return n !== "" && numbers.some((it) => Math.abs(it * 100 - Number(n)) <= 0.050_001)
}

function isCents(figure: string, numbers: ReadonlyArray<number>): boolean {
  const [, n = "", noun] = /^(\d+(?:\.\d{1,2})?) (cents?)$/.exec(figure) ?? []
  return n !== "" && (n === "1") === (noun === "cent") &&
    numbers.some((it) => Math.abs(Math.abs(it) * 100 - Number(n)) <= 0.005_001)
}

function isCount(figure: string, counts: ReadonlyArray<number>): boolean {
  const [, n = ""] = /^(-?[\d,]+) [a-z ]+$/.exec(figure) ?? []
  return n !== "" && !/ (?:minute|hour|day)s?$/.test(figure) &&
    counts.some((count) => whole.format(count) === n)
}

const units: Readonly<Record<string, number>> = { minute: 6e4, hour: 3.6e6, day: 8.64e7 }

function isDuration(figure: string, lengths: ReadonlyArray<number>): boolean {
  const [, n = "", unit = ""] = /^(\d+) (minute|hour|day)s?$/.exec(figure) ?? []
  const ms = units[unit] ?? 0
  return lengths.some((length) => Math.abs(Number(n) * ms - length) <= ms / 2)
}

/** Every text of the material as a digest may name it, truncated to each of the name lengths. */
export function namesOf(material: DigestMaterial): ReadonlySet<string> {
  const texts = leavesOf(material).filter((it) => typeof it === "string")
  const labels = texts.flatMap((text) => text.match(/above \d\.5%/g) ?? [])
  return new Set(
    [...texts, ...labels].flatMap((text) => [50, 110, 140].map((max) => readableName(text, max))),
  )
}
