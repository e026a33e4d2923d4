/**
 * One chart as an SVG image: a title and a description for readers who cannot see it, colours by the
 * variables of the style sheet, and nothing that needs a style attribute, a script or a font file.
 *
 * A chart is a list of groups of shapes, each group an SVG string.
 *
 * @module
 */
import { excerpt } from "../../../core/domain/untrusted.ts"

/** The width of a chart in its own units; a phone of 360 px shows it at 328 px. */
export const chartWidth = 480
/** So that a phone shows text with at least 11 px. */
const textSize = 16.5
/** The width of a character of a usual font, as a multiple of the size of the text; rather too wide. */
const characterWidth = 0.6
/** The same for scripts with wide characters. */
const wideCharacterWidth = 1.1
/** Longest text in a chart, and longest title or description, in characters. */
const [labelLengthMax, descriptionLengthMax] = [200, 1_000]

/** What every chart has. */
export interface ChartText {
  /** Makes the ids of this chart unique on its page. */
  readonly prefix: string
  /** What a screen reader says first. */
  readonly title: string
  /** The result in one or two sentences, for a reader who does not see the chart. */
  readonly description: string
}

/** A text at a place of the image; `y` is the line it stands on. */
export interface Label {
  readonly x: number
  readonly y: number
  readonly text: string
  readonly anchor: "start" | "middle" | "end"
  readonly fill?: string
}

/** Attributes of a group of shapes, by their SVG names. */
interface Style {
  readonly fill?: string
  readonly "fill-opacity"?: number
  readonly stroke?: string
  readonly "stroke-width"?: number
  readonly "stroke-opacity"?: number
  readonly "stroke-dasharray"?: string
  readonly "stroke-linejoin"?: "round"
  readonly "stroke-linecap"?: "round"
  readonly "paint-order"?: "stroke"
  readonly "text-anchor"?: Label["anchor"]
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** From (`x1`, `y1`) to (`x2`, `y2`); a rectangle has its corners there, the lower one second. */
export interface Span {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
}

/** The image of these groups, the first one at the back. */
export function draw(
  { prefix, title, description }: ChartText,
  { width = chartWidth, height }: { readonly width?: number; readonly height: number },
  groups: ReadonlyArray<string>,
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" ` +
    `aria-labelledby="${prefix}-title" aria-describedby="${prefix}-description" ` +
    `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="system-ui, sans-serif" font-size="${textSize}" text-anchor="middle" ` +
    `fill="var(--ink)">` +
    `<title id="${prefix}-title">${escaped(title)}</title>` +
    `<desc id="${prefix}-description">${escaped(description)}</desc>` +
    `${groups.join("")}</svg>`
}

const group = (style: Style, shapes: ReadonlyArray<string>): string => {
  const attributes = Object.entries(style).map(([name, value]) => ` ${name}="${value}"`)
  return shapes.length === 0 ? "" : `<g${attributes.join("")}>${shapes.join("")}</g>`
}

/** A straight line for each span. */
export const lines = (spans: ReadonlyArray<Span>, style: Style): string =>
  group(
    { fill: "none", ...style },
    spans.map(({ x1, y1, x2, y2 }) => pathShape([{ x: x1, y: y1 }, { x: x2, y: y2 }])),
  )

/** One line through all points. */
export const path = (points: ReadonlyArray<Point>, style: Style): string =>
  group(
    { fill: "none", "stroke-linejoin": "round", "stroke-linecap": "round", ...style },
    points.length === 0 ? [] : [pathShape(points)],
  )

const pathShape = (points: ReadonlyArray<Point>): string =>
  `<path d="M${points.map(({ x, y }) => `${short(x)},${short(y)}`).join("L")}"/>`

/** A circle around each point. */
export const circles = (points: ReadonlyArray<Point>, r: number, style: Style): string =>
  group(style, points.map(({ x, y }) => `<circle cx="${short(x)}" cy="${short(y)}" r="${r}"/>`))

/** A rectangle for each span. */
export const rectangles = (spans: ReadonlyArray<Span>, style: Style): string =>
  group(
    style,
    spans.map(({ x1, y1, x2, y2 }) =>
      `<rect x="${short(x1)}" y="${short(y1)}" width="${short(x2 - x1)}" height="${
        short(y2 - y1)
      }"/>`
    ),
  )

/** These texts; a line behind a letter ends before it. */
export const labels = (places: ReadonlyArray<Label>): string =>
  (["start", "middle", "end"] as const).map((anchor) =>
    group(
      {
        "text-anchor": anchor,
        "paint-order": "stroke",
        "stroke-linejoin": "round",
        "stroke-width": 4,
        stroke: "var(--paper)",
      },
      places.filter((place) => place.anchor === anchor && place.text !== "").map((
        { x, y, text, fill = "var(--ink)" },
      ) => `<text fill="${fill}" x="${short(x)}" y="${short(y)}">${escaped(text)}</text>`),
    )
  ).join("")

/** How wide a text may be when it is drawn. */
export const widthOf = (text: string): number =>
  [...text].reduce(
    (width, character) =>
      width + textSize * (character > "\u2e80" ? wideCharacterWidth : characterWidth),
    0,
  )

/** A text on one line, cut where it does not fit into `width`. */
export function fitted(text: string, width: number): string {
  const line = excerpt(text, labelLengthMax)
  if (widthOf(line) <= width) return line
  const characters = [...line]
  let kept = characters.length
  while (kept > 0 && widthOf(characters.slice(0, kept).join("")) + textSize > width) kept -= 1
  return `${characters.slice(0, kept).join("").trimEnd()}…`
}

const escaped = (text: string): string =>
  excerpt(text, descriptionLengthMax).replace(
    /[&<>"]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  )

/** A coordinate with two digits. */
const short = (coordinate: number): string => String(Math.round(coordinate * 100) / 100)
