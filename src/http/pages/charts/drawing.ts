/**
 * One chart as an SVG image: a title and a description for readers who cannot see it, colours by the
 * variables of the style sheet, and nothing that needs a style attribute, a script or a font file.
 *
 * The library and its document are loaded when the first page is asked for.
 *
 * @module
 */
import type * as Plot from "@observablehq/plot"
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

/** What is read and changed of a drawn element. */
interface Drawn {
  readonly innerHTML: string
  readonly querySelectorAll: (selector: string) => Iterable<{
    readonly remove: () => void
    readonly removeAttribute: (name: string) => void
  }>
}

interface Library {
  readonly plot: typeof Plot
  /** An empty document for each chart, so that nothing stays in it. */
  readonly document: () => object
}

let library: Library | null = null
let loading: Promise<void> | null = null

/** Loads the library of charts, once; null when it is there. */
export function loadCharts(): Promise<void> | null {
  if (library !== null) return null
  loading ??= load()
  return loading
}

/** Payments and ticks run between the two parts. */
async function load(): Promise<void> {
  const { DOMParser } = await import("linkedom/worker")
  await new Promise((resolve) => setTimeout(resolve, 0))
  const plot = await import("@observablehq/plot")
  const parser = new DOMParser()
  library = { plot, document: () => parser.parseFromString("<svg/>", "image/svg+xml") }
}

/** The library, for marks; its coordinates are those of the image. */
export function plotting(): typeof Plot {
  if (library === null) throw new Error("The charts are not loaded")
  return library.plot
}

/** The image of these marks. */
export function draw(
  { prefix, title, description }: ChartText,
  { width = chartWidth, height }: { readonly width?: number; readonly height: number },
  marks: ReadonlyArray<Plot.Markish>,
): string {
  const figure: Drawn = plotting().plot({
    ...{ document: library?.document(), width, height, margin: 0, className: "chart" },
    ...{ x: { type: "identity", axis: null }, y: { type: "identity", axis: null } },
    ...{ color: { type: "identity" }, marks: [...marks] },
  })
  for (const style of figure.querySelectorAll("style")) style.remove()
  // The image has one name; names of its parts would be read out without their place.
  for (const part of figure.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label")
  for (const part of figure.querySelectorAll("[aria-hidden]")) part.removeAttribute("aria-hidden")
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" ` +
    `aria-labelledby="${prefix}-title" aria-describedby="${prefix}-description" ` +
    `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="system-ui, sans-serif" font-size="${textSize}" text-anchor="middle" ` +
    `fill="var(--ink)">` +
    `<title id="${prefix}-title">${escaped(title)}</title>` +
    `<desc id="${prefix}-description">${escaped(description)}</desc>` +
    `${shortNumbers(figure.innerHTML)}</svg>`
}

/** Marks for these texts. */
export const labels = (places: ReadonlyArray<Label>): ReadonlyArray<Plot.Markish> =>
  (["start", "middle", "end"] as const).map((anchor) =>
    plotting().text(places.filter((place) => place.anchor === anchor), {
      ...{ x: "x", y: "y", text: "text", textAnchor: anchor, lineAnchor: "bottom" },
      ...{ fill: ({ fill }: Label) => fill ?? "var(--ink)", fontSize: textSize },
      // A line behind a letter ends before it.
      ...{ stroke: "var(--paper)", strokeWidth: 4 },
    })
  )

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

/** Coordinates with two digits. */
const shortNumbers = (svg: string): string =>
  svg.replace(
    /\b(d|x|y|x1|x2|y1|y2|cx|cy|r|width|height|transform)="([^"<>]*)"/g,
    (_, name: string, value: string) =>
      `${name}="${value.replace(/-?\d+\.\d{3,}(e[+-]?\d+)?/g, shortNumber)}"`,
  )
const shortNumber = (digits: string): string => String(Math.round(Number(digits) * 100) / 100)
