/**
 * The table of pages: each path, what it is made from, and its content. A page is made from bodies of
 * the API, so every number on it is one that the API answers.
 *
 * @module
 */
import { Effect, Record } from "effect"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { prepared } from "../../core/domain/prepared.ts"
import type { SignedExtension } from "../../payments/domain/x402/offerReceipt.ts"
import { linkHeader, pagePaths, paths } from "../documents/addresses.ts"
import { dataPaths, type PageBodies, type PageDataRoutes } from "../free/pageData.ts"
import type { Offers } from "../paywall/paywall.ts"
import { type Answer, answer, type HeaderPair, jsonIn } from "../server/answer.ts"
import type { RateLimiter } from "../server/limits.ts"
import { type FreeRoute, ready } from "../server/route.ts"
import type { FreeRoutes } from "../skills.ts"
import { digestPage } from "./digest.ts"
import type { Documents } from "../documents/documents.ts"
import { docsPages } from "./docs.ts"
import { homePage } from "./home.ts"
import { pageAnswer } from "./layout.tsx"
import type { Site } from "../site.ts"
import { pricingPage } from "./pricing.ts"
import { paywallAnswer } from "./refusals.ts"
import type { Page } from "./sections.tsx"
import { signalsPage } from "./signals.ts"
import { statusPage } from "./status.ts"
import { trackRecordPage } from "./trackRecord.ts"

interface PageOptions {
  readonly site: Site
  readonly limiter: RateLimiter
  readonly free: FreeRoutes
  /** The documents as agents get them. */
  readonly docs: Documents
  readonly data: PageDataRoutes
  readonly offers: Offers
}

/** The bodies that pages may show, by row. */
type Bodies =
  & { readonly [Id in keyof typeof freeRows]: typeof freeRows[Id]["body"]["Type"] }
  & PageBodies

/** The pages that search engines may list. */
function listedPages({ site, limiter, free, data, docs }: PageOptions) {
  const sources: Readonly<Record<keyof Bodies, FreeRoute>> = { ...free, ...data }
  const jsonPaths = { ...Record.map(freeRows, ({ path }) => path), ...dataPaths }
  /** `content` gets null for a body that cannot be read, and returns null if it needs that one. */
  const page = <const Ids extends ReadonlyArray<keyof Bodies>>(
    path: string,
    ids: Ids,
    content: (...bodies: { [At in keyof Ids]: Bodies[Ids[At]] | null }) => Page | null,
    headers: ReadonlyArray<HeaderPair> = [],
  ): [string, FreeRoute] => {
    const json = ids.map((id) => jsonPaths[id])
    const render = (bodies: ReadonlyArray<unknown>) => {
      const made = content(...bodies as { [At in keyof Ids]: Bodies[Ids[At]] | null })
      return made === null
        ? pageAnswer(site, unavailable, { path, status: 503, headers: [["retry-after", "5"]] })
        : pageAnswer(site, made, { path, json, headers })
    }
    const answerIn = (id: keyof Bodies, url: string) =>
      Effect.catch(sources[id].current(url), () => Effect.succeed(null))
    const current = (url: string) => Effect.all(ids.map((id) => answerIn(id, url)))
    // Made again only when a source has another answer.
    const made = prepared((...answers: ReadonlyArray<Answer | null>) =>
      render(answers.map((answer) => answer && jsonIn(answer)))
    )
    return [path, { limiter, current: (url) => Effect.map(current(url), (all) => made(...all)) }]
  }
  return new Map([
    // A client that gets the page instead of llms.txt finds the documents as well.
    page(pagePaths.home, ["index", "opened"], (...bodies) => homePage(site, ...bodies), [
      linkHeader(site.terms.publicBaseUrl),
    ]),
    page(pagePaths.trackRecord, ["track_record"], (record) => record && trackRecordPage(record)),
    page(
      pagePaths.signals,
      ["recent", "pulse"],
      (recent, pulse) => recent && signalsPage(recent, pulse),
    ),
    page(
      pagePaths.digest,
      ["digests", "digest_brief"],
      (titles, brief) => titles && digestPage(titles, brief),
    ),
    page(pagePaths.status, ["status"], (status) => status && statusPage(status)),
    page(pagePaths.pricing, [], pricingPage),
    ...docsPages(docs).map(([path, content]) => page(path, [], () => content)),
  ])
}

/** What is shown while the data of a page cannot be read. */
const unavailable: Page = {
  name: "Not available",
  description: "This page is not available now.",
  lead: "The service cannot read this now. Please try again in a few seconds.",
}

/** All pages and their sitemap, by path. */
export function pages(options: PageOptions): ReadonlyMap<string, FreeRoute> {
  const { site, limiter, offers } = options
  const listed = listedPages(options)
  const sitemap = answer({
    body: sitemapText([...listed.keys()].map((path) => site.terms.publicBaseUrl + path)),
    contentType: "application/xml",
    cache: "document",
  })
  const paywalls = Object.values(products).map((product): [string, FreeRoute] => {
    const page = prepared((offer: SignedExtension) => paywallAnswer(site, product, offer))
    return [product.path, { limiter, current: ready(() => page(offers(product))) }]
  })
  return new Map([
    ...listed,
    ...paywalls,
    [paths.sitemap, { limiter, current: ready(() => sitemap) }],
  ])
}

/** /sitemap.xml (sitemaps.org). */
const sitemapText = (urls: ReadonlyArray<string>) =>
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' +
  `${
    urls.map((url) => `<url><loc>${url.replaceAll("&", "&amp;")}</loc></url>\n`).join("")
  }</urlset>\n`
