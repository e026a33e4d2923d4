/**
 * Compares the numbers of a page with the bodies that the page was made from: each must be in one of
 * them, and its text must be this number.
 *
 * @module
 */

const dataElement = /<data value="([^"]*)">([^<]*)<\/data>/g
const unknown = "not known"
/** The name of every interval. */
const level = /95\s%/g
/** Where a page shows numbers, and does not speak of them. */
const numericElements = ["tbody", "dl"]

/** What is wrong with the numbers of a page. */
export function numberFaults(
  html: string,
  bodies: ReadonlyArray<unknown>,
): ReadonlyArray<string> {
  const answered = new Set(bodies.flatMap(numbersIn))
  const shown = [...html.matchAll(dataElement)]
  const elements = html.match(/<data\b/g)?.length ?? 0
  return [
    ...(elements === shown.length ? [] : [`${elements} elements, ${shown.length} readable`]),
    ...shown.flatMap(([, json = "", text = ""]) => {
      const value = JSON.parse(json)
      return [
        ...(value === null || answered.has(value) ? [] : [`${value} is shown, and not answered`]),
        ...(isTextOf(value, text) ? [] : [`${json} is written as ${text}`]),
      ]
    }),
    ...numericElements.flatMap((element) =>
      uncitedText(html, element).replace(level, "").match(/\S*\d\S*/g) ?? []
    ).map((text) => `${text} has no source`),
  ]
}

const numbersIn = (value: unknown): ReadonlyArray<number> =>
  typeof value === "number"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(numbersIn)
    : []

/** Whether a text is this number, rounded to the digits that it has; `%` and `¢` are hundredths, and
 * a duration is one of seconds. */
function isTextOf(value: number | null, text: string): boolean {
  if (value === null || text === unknown) return value === null && text === unknown
  const written = text.replaceAll(/[,\s$+]/g, "").replace("−", "-").match(
    /^(-?\d+(?:\.(\d+))?)(%|¢|hours?|minutes?|seconds?)?$/,
  )
  if (written === null) return false
  const [, number = "", digits = "", unit = ""] = written
  const seconds = { hour: 3_600, minute: 60, second: 1 }[unit.replace(/s$/, "")]
  if (seconds !== undefined) return Math.abs(Number(number) - value / seconds) <= 0.05
  const shift = unit === "" ? 0 : -2
  const roundingMax = 0.5 * 10 ** (shift - digits.length)
  const difference = Math.abs(Number(`${number}e${shift}`) - value)
  return difference <= roundingMax * 1.0001 + Math.abs(value) * 1e-12
}

/** The text inside these elements that is neither a number of a body nor a time or a name. */
function uncitedText(html: string, element: string): string {
  const inside = [...html.matchAll(new RegExp(`<${element}[ >].*?</${element}>`, "gs"))].join(" ")
  return inside.replaceAll(/<(data|time|bdi|code)\b.*?<\/\1>/gs, "").replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&#\d+;/g, "")
}
