/**
 * The frame of every page: head, navigation, footer, style and security headers.
 *
 * A page is one answer: its style is inline and allowed by its hash, its charts are inline, and it
 * has no script. The JSX runtime escapes every text.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { raw } from "hono/html"
import { type Answer, answer, type HeaderPair } from "../server/answer.ts"
import { paths } from "../documents/addresses.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { iconSvg } from "../documents/wellKnown.ts"
import { pagePaths } from "./paths.ts"
import { type Page, PageContent } from "./sections.tsx"
import type { Site } from "./site.ts"
import style from "./style.css" with { type: "text" }

const styleHash = createHash("sha256").update(style).digest("base64")

/** The headers of every page. Nothing loads but images of this origin, and nothing runs. */
const pageHeaders: ReadonlyArray<HeaderPair> = [
  [
    "content-security-policy",
    `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; ` +
    "form-action 'none'; frame-ancestors 'none'",
  ],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
]

/** What is different on each page. */
export interface PageMeta {
  /** Its path on this service. */
  readonly path: string
  /** Shown in the tab, without the name of the service. */
  readonly title: string
  /** One sentence for search results and link previews. */
  readonly description: string
  /** Paths with the same data as JSON. */
  readonly json?: ReadonlyArray<string>
  /** 200 unless given. */
  readonly status?: number
  readonly headers?: ReadonlyArray<HeaderPair>
  readonly noindex?: boolean
}

/** The page as an answer. */
export function pageAnswer(site: Site, meta: PageMeta, page: Page): Answer {
  return answer({
    body: `<!doctype html>${<Frame site={site} meta={meta} page={page} />}`,
    contentType: "text/html; charset=utf-8",
    status: meta.status ?? 200,
    cache: (meta.status ?? 200) === 200 ? "page" : "none",
    // No page has a secret, so its compressed length reveals nothing.
    compress: true,
    headers: [...pageHeaders, ...(meta.headers ?? [])],
  })
}

const navigation = [
  [pagePaths.trackRecord, "Track record"],
  [pagePaths.signals, "Signals"],
  [pagePaths.digest, "Digest"],
  [pagePaths.pricing, "Pricing"],
  [pagePaths.docs, "Docs"],
  [pagePaths.status, "Status"],
] as const

function Frame({ site, meta, page }: { site: Site; meta: PageMeta; page: Page }) {
  return (
    <html lang="en">
      <Head site={site} meta={meta} />
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="top">
          <a class="brand" href={paths.home}>
            <span aria-hidden="true">{raw(iconSvg)}</span>
            Bellwether
          </a>
          <nav aria-label="Main">
            {navigation.map(([path, name]) => (
              <a key={path} href={path} aria-current={path === meta.path ? "page" : undefined}>
                {name}
              </a>
            ))}
          </nav>
        </header>
        <SimulationNotice site={site} />
        <main id="content">
          <PageContent page={page} />
        </main>
        <footer>
          <a href={freeRows.terms_text.path}>Terms</a>
          <a href={paths.contact}>Contact</a>
          <a href={pagePaths.api}>API</a>
          <a href={paths.llms}>llms.txt</a>
        </footer>
      </body>
    </html>
  )
}

/** Says on every page what is not real here. */
function SimulationNotice({ site: { paymentMode, venueMode } }: { site: Site }) {
  const simulated = [
    paymentMode === "simulated" ? "Payments are simulated: no money moves." : null,
    venueMode === "simulated" ? "The market is simulated: its prices are invented." : null,
  ].filter((sentence) => sentence !== null)
  if (simulated.length === 0) return null
  return (
    <aside class="band" aria-label="Simulation">
      <p>
        <strong>Demonstration.</strong> {simulated.join(" ")}
      </p>
    </aside>
  )
}

function Head({ site: { publicBaseUrl }, meta }: { site: Site; meta: PageMeta }) {
  const title = `${meta.title} · Bellwether`
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      <meta name="description" content={meta.description} />
      {meta.noindex === true ? <meta name="robots" content="noindex" /> : null}
      <meta property="og:title" content={title} />
      <meta property="og:description" content={meta.description} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content="Bellwether" />
      <meta property="og:url" content={publicBaseUrl + meta.path} />
      <meta name="twitter:card" content="summary" />
      <link rel="canonical" href={publicBaseUrl + meta.path} />
      <link rel="icon" href={paths.icon} type="image/svg+xml" />
      {(meta.json ?? []).map((path) => (
        <link key={path} rel="alternate" type="application/json" href={publicBaseUrl + path} />
      ))}
      <style>{raw(style)}</style>
    </head>
  )
}
