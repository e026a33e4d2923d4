/**
 * A visit to the page in a real browser: calls on standard input, what the page saw of each on
 * standard output.
 *
 * The page is served from a port of its own, so every call crosses origins. It runs as a process of
 * its own, because its packages are next to it in `node_modules`, outside of the project's
 * dependencies: `npm ci --prefix tests/browser` puts them there.
 *
 * @module
 */
import type { Call, Sight } from "./page.ts"

interface Page {
  goto(url: string): Promise<unknown>
  evaluate<A, B>(script: (argument: A) => Promise<B>, argument: A): Promise<B>
}

interface Puppeteer {
  launch(options: {
    readonly executablePath: string
    readonly headless: boolean
    readonly pipe: boolean
    readonly args: ReadonlyArray<string>
  }): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>
}

interface Esbuild {
  build(options: {
    readonly stdin: { readonly contents: string; readonly resolveDir: string }
    readonly bundle: boolean
    readonly format: "esm"
    readonly platform: "browser"
    readonly write: false
  }): Promise<{ readonly outputFiles: ReadonlyArray<{ readonly text: string }> }>
  stop(): Promise<void>
}

interface Visit {
  readonly chromium: string
  readonly calls: ReadonlyArray<Call>
}

declare const call: (asked: Call) => Promise<Sight>

const { chromium, calls }: Visit = await new Response(Deno.stdin.readable).json()
const module = (path: string) => import(new URL(`node_modules/${path}`, import.meta.url).href)
const esbuild: Esbuild = await module("esbuild/lib/main.js")
const { default: puppeteer }: { readonly default: Puppeteer } = await module(
  "puppeteer-core/lib/puppeteer/puppeteer-core.js",
)

const contents = `
  import { call } from "./page.ts"
  import * as version1 from "x402-fetch"
  Object.assign(globalThis, { call, version1 })
`
const { outputFiles } = await esbuild.build({
  stdin: { contents, resolveDir: decodeURIComponent(new URL(".", import.meta.url).pathname) },
  bundle: true,
  format: "esm",
  platform: "browser",
  write: false,
})
await esbuild.stop()
const script = outputFiles[0]?.text ?? ""
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request) =>
    request.url.endsWith("/page.js")
      ? new Response(script, { headers: { "content-type": "text/javascript" } })
      : new Response(
        `<!doctype html><meta charset="utf-8"><title>A buyer</title>` +
          `<link rel="icon" href="data:,"><script type="module" src="/page.js"></script>`,
        { headers: { "content-type": "text/html" } },
      ),
)
const browser = await puppeteer.launch({
  executablePath: chromium,
  headless: true,
  pipe: true,
  // The tests may run as root, and /dev/shm may be small.
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
})
const seen: Array<Sight> = []
try {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${server.addr.port}/`)
  for (const asked of calls) seen.push(await page.evaluate((asked) => call(asked), asked))
} finally {
  await browser.close()
  await server.shutdown()
}
await new Blob([JSON.stringify(seen)]).stream().pipeTo(Deno.stdout.writable)
