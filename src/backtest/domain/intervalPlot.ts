/**
 * A plot of estimates with their 95 % intervals as an SVG document: panels side by side, one row per
 * name in each.
 *
 * @module
 */

/** One estimate; a baseline is drawn as a short vertical line. NaN values are left out. */
export interface PlotRow {
  readonly name: string
  readonly value: number
  readonly low: number
  readonly high: number
  readonly baseline: number | null
}

interface Panel {
  readonly title: string
  readonly rows: ReadonlyArray<PlotRow>
}

const [namesWidth, panelWidth, gap, rowHeight, top, bottom] = [190, 260, 24, 24, 64, 32]

export function intervalPlot(
  title: string,
  caption: string,
  panels: ReadonlyArray<Panel>,
): string {
  const names = panels[0]?.rows.map(({ name }) => name) ?? []
  const width = namesWidth + panels.length * (panelWidth + gap)
  const height = top + names.length * rowHeight + bottom + 24
  const labels = names.map((name, n) => text(8, rowY(n) + 4, name))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#222">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(8, 20, title, ' font-size="14" font-weight="bold"'),
    ...labels,
    ...panels.map((panel, n) => drawPanel(panel, namesWidth + n * (panelWidth + gap))),
    text(8, height - 10, caption, ' fill="#666"'),
    "</svg>",
    "",
  ].join("\n")
}

const rowY = (n: number) => top + n * rowHeight + rowHeight / 2

function drawPanel({ title, rows }: Panel, left: number): string {
  const values = rows
    .flatMap(({ value, low, high, baseline }) => [value, low, high, baseline ?? Number.NaN])
    .filter(Number.isFinite)
  const [least, most] = values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)]
  const margin = (most - least || 1) * 0.08
  const [from, to] = [least - margin, most + margin]
  const x = (value: number) => left + (value - from) / (to - from) * panelWidth
  const end = top + rows.length * rowHeight
  return [
    text(left, top - 14, title, ' font-weight="bold"'),
    ...ticks(from, to).map((value) =>
      line(x(value), top, x(value), end, "#ddd") +
      text(x(value), end + 16, Number(value.toPrecision(6)).toString(), ' text-anchor="middle"')
    ),
    ...rows.map((row, n) => drawRow(row, x, rowY(n))),
  ].join("\n")
}

function drawRow(row: PlotRow, x: (value: number) => number, y: number): string {
  const { value, low, high, baseline } = row
  if (!Number.isFinite(value)) return ""
  return [
    Number.isFinite(low) ? line(x(low), y, x(high), y, "#1f5fa8", 2) : "",
    `<circle cx="${round(x(value))}" cy="${y}" r="4" fill="#1f5fa8"/>`,
    baseline === null ? "" : line(x(baseline), y - 8, x(baseline), y + 8, "#c2410c", 2),
  ].join("")
}

/** About four round numbers in a range. */
function ticks(from: number, to: number): ReadonlyArray<number> {
  const rough = (to - from) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, n) => (first + n) * step)
}

const round = (value: number) => Math.round(value * 100) / 100

function line(x1: number, y1: number, x2: number, y2: number, colour: string, width = 1): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" ` +
    `stroke="${colour}" stroke-width="${width}"/>`
}

function text(x: number, y: number, content: string, attributes = ""): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  return `<text x="${round(x)}" y="${round(y)}"${attributes}>${escaped}</text>`
}
