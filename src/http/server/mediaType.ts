/**
 * Whether a client prefers a page: proactive negotiation over `Accept` (RFC 9110 12.5.1).
 *
 * @module
 */

/** Most ranges that are read; a browser sends about eight. */
const rangesMax = 32

/** What a path with a page answers otherwise. */
const others = ["text/plain", "text/markdown", "application/json"]

interface Range {
  readonly type: string
  readonly weight: number
  readonly position: number
}

interface Preference extends Range {
  /** 2: the type itself; 1: `text/*`; 0: any type. */
  readonly specificity: number
}

/**
 * True only where `text/html` is named, and preferred to every other text and to JSON: by weight, then
 * by how specific its range is, then by position. A client without `Accept`, or with the range of all
 * types alone, gets what agents get.
 *
 * Stock parsers give the same result, but for three differences on purpose. They also select HTML
 * where only a wildcard matches it and the other types are refused. They compare the parameters of a
 * range; here a client that asks for `application/json; charset=utf-8` first gets JSON. A weight that
 * is no number is 0 here, also next to a weight for the same type.
 */
export function prefersHtml(accept: string | null): boolean {
  const header = accept?.toLowerCase() ?? ""
  // Most agents end here.
  if (!header.includes("text/html")) return false
  const ranges = rangesOf(header)
  const html = preferenceOf(ranges, "text/html")
  if (html?.type !== "text/html" || !(html.weight > 0)) return false
  return others.every((other) => {
    const preference = preferenceOf(ranges, other)
    return preference === null || order(html, preference) > 0
  })
}

/** A comma or a semicolon in a quoted parameter separates nothing. */
const quoted = /"[^"]*"/g

/** The entries of `Accept`, or of `Accept-Encoding`, in lower case. */
export function rangesOf(accept: string): ReadonlyArray<Range> {
  return accept.replaceAll(quoted, "").split(",", rangesMax).map((entry, position) => {
    const [type = "", ...parameters] = entry.split(";").map((part) => part.trim())
    const weight = parameters.find((parameter) => weightPattern.test(parameter))
    return { type, weight: weight === undefined ? 1 : weightOf(weight), position }
  })
}

const weightPattern = /^q\s*=/

/** A weight that is no number is 0. */
const weightOf = (parameter: string): number =>
  Number.parseFloat(parameter.slice(parameter.indexOf("=") + 1)) || 0

/**
 * The most specific range that contains a type; of several, the one with the most weight, and of
 * these the last.
 */
function preferenceOf(ranges: ReadonlyArray<Range>, type: string): Preference | null {
  const [major] = type.split("/")
  let found: Preference | null = null
  for (const range of ranges) {
    const specificity = ["*/*", `${major}/*`, type].indexOf(range.type)
    if (specificity < 0) continue
    const isBetter = found === null || specificity > found.specificity ||
      (specificity === found.specificity && range.weight >= found.weight)
    if (isBetter) found = { ...range, specificity }
  }
  return found
}

/** Above 0 where `a` is preferred. */
const order = (a: Preference, b: Preference): number =>
  a.weight - b.weight || a.specificity - b.specificity || b.position - a.position
