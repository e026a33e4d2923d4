/**
 * /card.png: what link previews show of the track record, as an image.
 *
 * It is made from the body of the API, and made again only when what it shows has changed.
 *
 * @module
 */
import type { freeRows } from "../../../catalog/domain/freeRow.ts"
import { minute, second } from "../../../core/domain/time.ts"
import { type Answer, answer } from "../../server/answer.ts"
import type { EdgeRoute } from "../../server/edge.ts"
import { calibrationChart } from "../charts/charts.ts"
import { count } from "../parts.tsx"
import type { Site } from "../site.ts"
import style from "../style.css" with { type: "text" }
import type { PngImage } from "./cardWorker.ts"

type Record = typeof freeRows["track_record"]["body"]["Type"]

/** What link previews ask for, in pixels. */
export const [cardWidth, cardHeight] = [1_200, 630]
/** The worker is stopped after this time, its start included. */
const renderMsMax = 20 * second
/** After a failure it is not tried again for this long. */
const pauseMs = minute

/** The light colours of the style sheet. */
const colours = new Map(
  [...style.slice(0, style.indexOf("}")).matchAll(/--(\w+): (#[0-9a-f]+);/g)]
    .map(([, name = "", colour = ""]) => [name, colour]),
)

/** The card as an SVG image. */
export function cardAnswer(site: Site, record: Record): Answer {
  const { resolvedEntries, trackedWallets } = record.coverage
  const chart = calibrationChart({
    ...{ prefix: "card", title: "Calibration", description: "Win rates by price." },
    bands: record.oddsBands.map((band) => ({
      ...{ price: band.meanEntryPrice, winRate: band.winRate, entries: band.entries },
      ...{ low: band.winRateLow, high: band.winRateHigh },
    })),
  })
  const lines = [
    { y: 150, size: 76, weight: 700, text: "Bellwether" },
    { y: 215, size: 34, text: "Prediction-market signals for agents," },
    { y: 259, size: 34, text: "with a public track record" },
    { y: 395, size: 92, weight: 700, text: count(resolvedEntries) },
    { y: 442, size: 34, text: "entries resolved" },
    { y: 484, size: 34, text: `of ${count(trackedWallets)} tracked wallets` },
    ...(site.venueMode === "polymarket"
      ? []
      : [{ y: 570, size: 28, text: `The market here is ${marketOf[site.venueMode]}.` }]),
  ]
  const texts = lines.map(({ y, size, weight = 400, text }) =>
    `<text x="64" y="${y}" font-size="${size}" font-weight="${weight}">${text}</text>`
  )
  const image = chart === null
    ? `<text x="884" y="330" font-size="34" text-anchor="middle">Nothing to compare yet</text>`
    : chart.replace("<svg ", `<svg x="612" y="44" `)
      .replace(/ width="\d+" height="\d+"/, ` width="556" height="542"`)
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${cardWidth}" ` +
    `height="${cardHeight}" viewBox="0 0 ${cardWidth} ${cardHeight}" font-family="PT Sans" ` +
    `fill="var(--ink)"><rect width="${cardWidth}" height="${cardHeight}" fill="var(--paper)"/>` +
    `<rect width="16" height="${cardHeight}" fill="var(--mark)"/>${texts.join("")}${image}</svg>`
  return answer({
    body: body
      .replace(/var\(--(\w+)\)/g, (variable, name) => colours.get(name) ?? variable)
      .replaceAll("system-ui, sans-serif", "PT Sans"),
    contentType: "image/svg+xml",
    cache: "none",
  })
}

const marketOf = { simulated: "simulated", replay: "a recording" } as const

/** The route that answers the SVG image of `card` as a PNG; it is rendered once. */
export function pngRoute(card: EdgeRoute): EdgeRoute {
  let made: { readonly svg: string; readonly png: Promise<Answer | null> } | null = null
  let failedAt = -Infinity
  const pngOf = (svg: string): Promise<Answer | null> => {
    if (made?.svg === svg) return made.png
    if (performance.now() - failedAt < pauseMs) return Promise.resolve(null)
    const png = rendered(svg).then((image) =>
      image === null ? null : answer({ body: image, contentType: "image/png", cache: "document" })
    )
    made = { svg, png }
    void png.then((answer) => {
      if (answer !== null) return
      failedAt = performance.now()
      if (made?.png === png) made = null
    })
    return png
  }
  return {
    ...card,
    current: async (url) => {
      const result = await card.current?.(url) ?? null
      return result === null || !("bytes" in result) || result.status !== 200
        ? result
        : await pngOf(new TextDecoder().decode(result.bytes))
    },
  }
}

/** Null where it takes too long or fails. */
const rendered = (svg: string): Promise<PngImage | null> =>
  new Promise((resolve) => {
    const worker = new Worker(new URL("./cardWorker.ts", import.meta.url), { type: "module" })
    const finish = (image: PngImage | null) => {
      clearTimeout(timer)
      worker.terminate()
      resolve(image)
    }
    const timer = setTimeout(() => finish(null), renderMsMax)
    worker.onmessage = ({ data }: MessageEvent<PngImage>) => finish(data)
    worker.onerror = (event) => {
      event.preventDefault()
      finish(null)
    }
    worker.postMessage(svg)
  })
