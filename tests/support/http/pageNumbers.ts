/**
 * Compares every number of a page with the bodies that the page was made from: its value with the value
 * at its place, and its text with its value.
 *
 * @module
 */

const dataElement =
  /<data value="([^"]*)" data-from="([^"]*)"(?: data-less="([^"]*)")?>([^<]*)<\/data>/g
const unknown = "not known"

/** What is wrong with the numbers of a page; `bodies` by path. */
export function numberFaults(
  html: string,
  bodies: Readonly<Record<string, unknown>>,
): ReadonlyArray<string> {
  const numbers = [...html.matchAll(dataElement)]
  const elements = html.match(/<data\b/g)?.length ?? 0
  return [
    ...(elements === numbers.length ? [] : [`${elements} elements, ${numbers.length} readable`]),
    ...numbers.flatMap(([, value = "", from = "", less = "", text = ""]) => {
      const shown = JSON.parse(value)
      const answered = [...places(from, 1), ...places(less, -1)].map(([place, sign]) => {
        const found = valueAt(place, bodies)
        return typeof found === "number" ? sign * found : found
      })
      const expected = answered.length === 1 ? answered[0] : sumOf(answered)
      const where = `${from} ${less}`.trim()
      return [
        ...(shown === expected ? [] : [`${where}: ${value} is shown, ${expected} is answered`]),
        ...(isTextOf(shown, text) ? [] : [`${where}: ${value} is written as ${text}`]),
      ]
    }),
  ]
}

const places = (list: string, sign: 1 | -1) =>
  list.split(" ").filter((place) => place !== "").map((place) => [place, sign] as const)

const sumOf = (numbers: ReadonlyArray<unknown>): unknown =>
  numbers.every((number) => typeof number === "number")
    ? numbers.reduce((sum, number) => sum + number, 0)
    : undefined

/** The value at `path#pointer`; null below a null. */
function valueAt(place: string, bodies: Readonly<Record<string, unknown>>): unknown {
  const [path = "", pointer = ""] = place.split("#")
  return pointer.split("/").slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, key) => value === null ? null : (value as Record<string, unknown> | undefined)?.[key],
      bodies[path],
    )
}

/** Whether a text is this number, rounded to the digits that it has; `%` and `¢` are hundredths, and
 * a duration is one of seconds. */
function isTextOf(value: number | null, text: string): boolean {
  if (value === null || text === unknown) return value === null && text === unknown
  const written = text.replaceAll(/[,\s$+]/g, "").replace("−", "-").match(
    /^(-?\d+(?:\.(\d+))?)(%|¢|hours?|minutes?|seconds?)?$/,
  )
  if (written === null) return false
  const [, number = "", digits = "", unit = ""] = written
  const seconds = unit.startsWith("hour")
    ? 3_600
    : unit.startsWith("minute")
    ? 60
    : unit.startsWith("second")
    ? 1
    : null
  if (seconds !== null) return Math.abs(Number(number) - value / seconds) <= 0.05
  const shift = unit === "" ? 0 : -2
  const roundingMax = 0.5 * 10 ** (shift - digits.length)
  const difference = Math.abs(Number(`${number}e${shift}`) - value)
  return difference <= roundingMax * 1.0001 + Math.abs(value) * 1e-12
}

/** The text inside these elements that is neither a number of a body nor a time or a name. */
export function uncitedText(html: string, element: string): string {
  const inside = [...html.matchAll(new RegExp(`<${element}[ >].*?</${element}>`, "gs"))].join(" ")
  return inside.replaceAll(/<(data|time|bdi|code)\b.*?<\/\1>/gs, "").replaceAll(/<[^>]*>/g, " ")
}
