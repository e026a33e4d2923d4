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
import { pagePaths, paths } from "../documents/addresses.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import iconSvg from "../documents/icon.svg" with { type: "text" }
import { simulationNotes, type Site } from "../site.ts"
import { type Page, PageContent } from "./sections.tsx"
import { link } from "./text.tsx"
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

/** How a page is served. */
interface Serving {
  /** Its path on this service. */
  readonly path: string
  /** Paths with the same data as JSON. */
  readonly json?: ReadonlyArray<string>
  /** 200 unless given. Search engines list no other page. */
  readonly status?: number
  readonly headers?: ReadonlyArray<HeaderPair>
}

/** The page as an answer. */
export function pageAnswer(site: Site, page: Page, serving: Serving): Answer {
  const { status = 200, headers = [] } = serving
  return answer({
    body: `<!doctype html>${<Frame site={site} page={page} serving={serving} />}`,
    contentType: "text/html; charset=utf-8",
    status,
    cache: status === 200 ? "page" : "none",
    // No page has a secret, so its compressed length reveals nothing.
    compress: true,
    headers: [...pageHeaders, ...headers],
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

interface Framed {
  readonly site: Site
  readonly page: Page
  readonly serving: Serving
}

function Frame({ site, page, serving }: Framed) {
  const { path: own, json = [] } = serving
  return (
    <html lang="en">
      <Head site={site} page={page} serving={serving} />
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="top">
          <a class="brand" href={paths.home}>
            <span aria-hidden="true">{raw(iconSvg)}</span>
            Bellwether
          </a>
          <nav aria-label="Main">
            {navigation.map(([path, name]) => (
              <a key={path} href={path} aria-current={path === own ? "page" : undefined}>
                {name}
              </a>
            ))}
          </nav>
        </header>
        <SimulationNotice site={site} />
        <main id="content">
          <PageContent page={page} />
          {json.length === 0 ? null : (
            <p class="quiet">
              The data of this page as JSON:
              {json.map((path) => [" ", link(path, path)])}
            </p>
          )}
        </main>
        <footer>
          <a href={freeRows.terms_text.path}>Terms</a>
          <a href={paths.contact}>Contact</a>
          <a href={paths.openApi}>OpenAPI</a>
          <a href={paths.llms}>llms.txt</a>
        </footer>
      </body>
    </html>
  )
}

/** Says on every page what is not real here. */
function SimulationNotice({ site }: { site: Site }) {
  const simulated = simulationNotes(site)
  if (simulated.length === 0) return null
  return (
    <aside class="band" aria-label="Simulation">
      <p>
        <strong>Demonstration.</strong> {simulated.join(" ")}
      </p>
    </aside>
  )
}

function Head({ site, page: { name, description }, serving }: Framed) {
  const { publicBaseUrl } = site.terms
  const title = `${name} · Bellwether`
  const { path, json = [], status = 200 } = serving
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      <meta name="description" content={description} />
      {status === 200 ? null : <meta name="robots" content="noindex" />}
      <link rel="canonical" href={publicBaseUrl + path} />
      <link rel="icon" href={paths.icon} type="image/svg+xml" />
      {json.map((path) => (
        <link key={path} rel="alternate" type="application/json" href={publicBaseUrl + path} />
      ))}
      <style>{raw(style)}</style>
    </head>
  )
}
