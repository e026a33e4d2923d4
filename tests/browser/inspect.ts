/**
 * A reader's look at pages in a real browser: pages on standard input, what is wrong with each on
 * standard output.
 *
 * It runs as a process of its own, because its packages are next to it in `node_modules`, outside of
 * the project's dependencies: `npm ci --prefix tests/browser` puts them there.
 *
 * @module
 */
import {
  audit,
  content,
  firstPaint,
  focused,
  markStops,
  overflows,
  policyReports,
  setOpen,
  strayText,
  watchPolicy,
} from "./probe.js"

/** What to look at. */
export interface Inspection {
  readonly chromium: string
  readonly urls: ReadonlyArray<string>
  readonly widths: ReadonlyArray<number>
  /** The widths at which axe looks, and the Tab key is pressed. */
  readonly auditWidths: ReadonlyArray<number>
  /** Most links that are reached by the Tab key on one page. */
  readonly stopsMax: number
  /** The folder for screenshots; null for none. */
  readonly shots: string | null
}

type Look = "loading" | "text" | "withoutScript" | "layout" | "keyboard" | "axe"
/** What is wrong, by kind of fault. */
type Faults = Record<Look, Array<string>>

/** What was seen of one page. */
export interface Inspected {
  readonly url: string
  readonly title: string
  /** The visible text with everything opened, and `(name)` for each name. */
  readonly textAroundNames: string
  readonly elements: number
  /** Of all answers until the load event, as they were sent. */
  readonly bytesSent: number
  readonly faults: Faults
}

interface Message {
  type(): string
  text(): string
}
interface Sent {
  url(): string
  failure(): { readonly errorText: string } | null
}
interface Session {
  send(method: string): Promise<unknown>
  on(event: string, run: (event: { readonly encodedDataLength: number }) => void): void
}
interface Page {
  goto(url: string, options: { readonly waitUntil: "load" }): Promise<unknown>
  title(): Promise<string>
  evaluate<A extends ReadonlyArray<unknown>, B>(
    script: string | ((...argument: A) => B),
    ...argument: A
  ): Promise<B>
  evaluateOnNewDocument(script: () => void): Promise<unknown>
  setViewport(size: { readonly width: number; readonly height: number }): Promise<void>
  setJavaScriptEnabled(enabled: boolean): Promise<void>
  setCacheEnabled(enabled: boolean): Promise<void>
  emulateMediaFeatures(
    features: ReadonlyArray<{ readonly name: string; readonly value: string }>,
  ): Promise<void>
  screenshot(options: {
    readonly path: string
    readonly captureBeyondViewport: true
    readonly clip: { x: number; y: number; width: number; height: number }
  }): Promise<unknown>
  createCDPSession(): Promise<Session>
  on(event: "console", run: (message: Message) => void): void
  on(event: "pageerror", run: (error: Error) => void): void
  on(event: "request" | "requestfailed", run: (request: Sent) => void): void
  readonly keyboard: { press(key: "Tab"): Promise<void> }
  close(): Promise<void>
}
interface Puppeteer {
  launch(options: {
    readonly executablePath: string
    readonly headless: boolean
    readonly pipe: boolean
    readonly args: ReadonlyArray<string>
  }): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>
}

const heightPx = 900
const shotHeightPxMax = 8_000
const isChallenge = /^Failed to load resource: the server responded with a status of 402 /
const schemes = ["light", "dark"] as const

const inspection: Inspection = await new Response(Deno.stdin.readable).json()
const folder = new URL("node_modules/", import.meta.url)
const { default: puppeteer }: { readonly default: Puppeteer } = await import(
  new URL("puppeteer-core/lib/puppeteer/puppeteer-core.js", folder).href
)
const axe = await Deno.readTextFile(new URL("axe-core/axe.min.js", folder))

/** Loads a page as a first visit does, and returns how much was sent. */
async function load(page: Page, url: string, faults: Array<string>): Promise<number> {
  const session = await page.createCDPSession()
  let bytesSent = 0
  session.on("Network.loadingFinished", ({ encodedDataLength }) => bytesSent += encodedDataLength)
  await session.send("Network.enable")
  const requested: Array<string> = []
  page.on("console", (message) => {
    // The browser reports the status of every 402 itself.
    if (!isChallenge.test(message.text())) {
      faults.push(`console ${message.type()}: ${message.text()}`)
    }
  })
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`))
  page.on("request", (request) => requested.push(request.url()))
  page.on(
    "requestfailed",
    (request) => faults.push(`failed: ${request.url()} ${request.failure()?.errorText}`),
  )
  await page.evaluateOnNewDocument(watchPolicy)
  await page.goto(url, { waitUntil: "load" })
  const { before } = await page.evaluate(firstPaint)
  const early = before.filter((name) => !/favicon/.test(name))
  if (early.length > 0) faults.push(`requests before the first paint: ${early.join(" ")}`)
  const origin = new URL(url).origin
  // A `data:` address is part of the page.
  const foreign = requested.filter((other) =>
    !/^data:/.test(other) && !other.startsWith(`${origin}/`)
  )
  if (foreign.length > 0) faults.push(`requests to others: ${foreign.join(" ")}`)
  return bytesSent
}

/** Presses Tab through the page. */
async function tabThrough(page: Page, stopsMax: number): Promise<ReadonlyArray<string>> {
  const { stops, unreachable } = await page.evaluate(markStops)
  const faults = unreachable.map((name) => `${name}, but Tab does not reach it`)
  const count = Math.min(stops.length, stopsMax)
  for (let expected = 0; expected <= count; expected++) {
    await page.keyboard.press("Tab")
    const { stop, fault } = await page.evaluate(focused)
    // After the last one the focus leaves the page, or begins again.
    if (expected === stops.length ? stop > 0 : stop !== expected) {
      faults.push(`Tab ${expected + 1} reaches ${stop}, not “${stops[expected]}”`)
      break
    }
    if (fault !== null) faults.push(`“${stops[stop]}” ${fault}`)
  }
  return faults
}

async function shoot(page: Page, url: string, width: number, scheme: string): Promise<void> {
  if (inspection.shots === null) return
  const height = await page.evaluate("document.documentElement.scrollHeight")
  const { pathname, search } = new URL(url)
  const name = (pathname + search).slice(1).replaceAll(/[/?]/g, "_") || "home"
  await page.screenshot({
    path: `${inspection.shots}/${name.slice(0, 60)}-${scheme}-${width}.png`,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height: Math.min(Number(height), shotHeightPxMax) },
  })
}

/** Looks at a loaded page in both schemes at every width, closed as it comes and opened. */
async function inspectLayout(page: Page, url: string, faults: Faults): Promise<void> {
  const layout = new Set<string>()
  await page.evaluate(axe)
  for (const scheme of schemes) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }])
    for (const width of inspection.widths) {
      await page.setViewport({ width, height: heightPx })
      for (const open of [false, true]) {
        await page.evaluate(setOpen, open)
        for (const fault of await page.evaluate(overflows)) {
          layout.add(`${width} px: ${fault}`)
        }
        if (!open) await shoot(page, url, width, scheme)
      }
      if (!inspection.auditWidths.includes(width)) continue
      const found: ReadonlyArray<string> = await page.evaluate(audit)
      faults.axe.push(...found.map((fault) => `${scheme} ${width} px: ${fault}`))
    }
  }
  faults.layout.push(...layout)
}

async function inspect(page: Page, url: string): Promise<Inspected> {
  const faults: Faults = {
    loading: [],
    text: [],
    withoutScript: [],
    layout: [],
    keyboard: [],
    axe: [],
  }
  await page.setCacheEnabled(false)
  await page.setViewport({ width: 1440, height: heightPx })
  const bytesSent = await load(page, url, faults.loading)
  const closed = await page.evaluate(content)
  const reports: ReadonlyArray<string> = await page.evaluate(policyReports)
  faults.loading.push(...reports.map((report) => `CSP: ${report}`))
  faults.text.push(...await page.evaluate(strayText))
  faults.keyboard.push(...await tabThrough(page, inspection.stopsMax))
  await inspectLayout(page, url, faults)
  await page.evaluate(setOpen, true)
  const { textAroundNames, elements } = await page.evaluate(content)
  const title = await page.title()
  await page.setJavaScriptEnabled(false)
  await page.setViewport({ width: 1440, height: heightPx })
  await page.goto(url, { waitUntil: "load" })
  const without = await page.evaluate(content)
  if (without.text !== closed.text) faults.withoutScript.push("another text")
  if (without.html !== closed.html) faults.withoutScript.push("other elements")
  return { url, title, textAroundNames, elements, bytesSent, faults }
}

const browser = await puppeteer.launch({
  executablePath: inspection.chromium,
  headless: true,
  pipe: true,
  // The tests may run as root, and /dev/shm may be small.
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
})
const inspected: Array<Inspected> = []
try {
  for (const url of inspection.urls) {
    const page = await browser.newPage()
    inspected.push(await inspect(page, url))
    await page.close()
  }
} finally {
  await browser.close()
}
await new Blob([JSON.stringify(inspected)]).stream().pipeTo(Deno.stdout.writable)
