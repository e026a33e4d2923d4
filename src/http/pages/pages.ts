/**
 * The table of pages: each path, what it is made from, and its content.
 *
 * @module
 */
import type { freeRows } from "../../catalog/domain/freeRow.ts"
import type { PageId, pageRows } from "../../catalog/domain/pageRow.ts"
import { products } from "../../catalog/domain/product.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { linkHeader, paths } from "../documents/addresses.ts"
import { iconBitmap } from "../documents/wellKnown.ts"
import { answer } from "../server/answer.ts"
import type { FreeRoute } from "../server/route.ts"
import type { RateLimiter } from "../server/limits.ts"
import type { PageDataRoutes } from "../free/pageData.ts"
import type { FreeRoutes } from "../skills.ts"
import { apiViewer } from "./apiViewer.ts"
import { digestMeta, digestPage } from "./digest.ts"
import { type DocsOptions, docsPages } from "./docs.ts"
import { homeMeta, homePage } from "./home.ts"
import { prepared } from "../../core/domain/prepared.ts"
import type { SignedExtension } from "../../payments/domain/x402/offerReceipt.ts"
import type { Offers } from "../paywall/paywall.ts"
import { pageAnswer, type PageMeta } from "./layout.tsx"
import { type Bodies, pageRoute, type PageSources, source } from "./page.ts"
import { paywallMeta, paywallPage } from "./paywallPage.ts"
import { pricingMeta, pricingPage } from "./pricing.ts"
import type { Page } from "./sections.tsx"
import type { Site } from "./site.ts"
import { statusMeta, statusPage } from "./status.ts"
import { signalsMeta, signalsPage } from "./signals.ts"
import { trackRecordMeta, trackRecordPage } from "./trackRecord.ts"

interface PageOptions {
  readonly site: Site
  readonly limiter: RateLimiter
  readonly free: FreeRoutes
  readonly docs: DocsOptions
  readonly data: PageDataRoutes
  readonly terms: PaymentTerms
  readonly offers: Offers
}

type Body<Id extends keyof typeof freeRows> = typeof freeRows[Id]["body"]["Type"]
type PageBody<Id extends PageId> = typeof pageRows[Id]["body"]["Type"]

/** The pages that search engines may list. */
function listedPages({ site, limiter, free, data, docs }: PageOptions) {
  /** `content` returns null while what the page is about cannot be read. */
  const page = <Sources extends PageSources>(
    meta: PageMeta,
    sources: Sources,
    content: (bodies: Bodies<Sources>) => Page | null,
  ): [string, FreeRoute] => {
    const render = (bodies: Bodies<Sources>) => {
      const made = content(bodies)
      return made === null ? unavailable(site, meta) : pageAnswer(site, meta, made)
    }
    return [meta.path, pageRoute({ limiter, sources, render })]
  }
  const record = source<Body<"track_record">>(free.track_record)
  const index = source<Body<"index">>(free.index)
  const pulse = source<Body<"pulse">>(free.pulse)
  const brief = source<Body<"digest_brief">>(free.digest_brief)
  const recent = source<PageBody<"recent">>(data.recent)
  const opened = source<PageBody<"opened">>(data.opened)
  const titles = source<PageBody<"digests">>(data.digests)
  const status = source<PageBody<"status">>(data.status)
  // A client that gets the page instead of llms.txt finds the documents as well.
  const homeWithLinks = { ...homeMeta, headers: [linkHeader(site.publicBaseUrl)] }
  return new Map([
    page(homeWithLinks, { index, opened, record }, (bodies) => homePage(site, bodies)),
    page(trackRecordMeta, { record }, ({ record }) => record && trackRecordPage(record)),
    page(
      signalsMeta,
      { index, pulse, recent },
      ({ recent, ...rest }) => recent && signalsPage({ recent, ...rest }),
    ),
    page(digestMeta, { brief, titles }, ({ brief, titles }) => titles && digestPage(brief, titles)),
    page(statusMeta, { status }, ({ status }) => status && statusPage(status)),
    page(pricingMeta, {}, () => pricingPage(docs)),
    ...docsPages(docs).map(({ meta, content }) => page(meta, {}, content)),
  ])
}

/** The page while its data cannot be read. */
const unavailable = (site: Site, meta: PageMeta) =>
  pageAnswer(site, { ...meta, status: 503, headers: [["retry-after", "5"]] }, {
    title: meta.title,
    lead: "The service cannot read this now. Please try again in a few seconds.",
    sections: [],
  })

/** All pages and their sitemap, by path. */
export function pages(options: PageOptions): ReadonlyMap<string, FreeRoute> {
  const { limiter, site: { publicBaseUrl } } = options
  const listed = listedPages(options)
  const sitemap = answer({
    body: sitemapText([...listed.keys()].map((path) => publicBaseUrl + path)),
    contentType: "application/xml",
    cache: "document",
  })
  return new Map([
    ...listed,
    ...paywalls(options),
    ...apiViewer(limiter),
    [paths.sitemap, { limiter, current: () => sitemap }],
    [paths.iconBitmap, { limiter, current: () => iconBitmap }],
  ])
}

/** /sitemap.xml (sitemaps.org). */
const sitemapText = (urls: ReadonlyArray<string>) =>
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' +
  `${
    urls.map((url) => `<url><loc>${url.replaceAll("&", "&amp;")}</loc></url>\n`).join("")
  }</urlset>\n`

/** The page of each paid path. */
const paywalls = ({ site, limiter, terms, offers }: PageOptions) =>
  Object.values(products).map((product): [string, FreeRoute] => {
    const page = prepared((offer: SignedExtension) =>
      pageAnswer(site, paywallMeta(product, terms, offer), paywallPage(site, product))
    )
    return [product.path, { limiter, current: () => page(offers(product)) }]
  })
