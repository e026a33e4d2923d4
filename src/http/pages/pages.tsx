/**
 * All pages for people: their paths, their sources and their budget.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import type { freeRows } from "../../catalog/domain/freeRow.ts"
import type { PageId, pageRows } from "../../catalog/domain/pageRow.ts"
import { products } from "../../catalog/domain/product.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { linkHeader, paths } from "../documents/addresses.ts"
import { iconBitmap } from "../documents/wellKnown.ts"
import { answer } from "../server/answer.ts"
import type { EdgeRoute } from "../server/edge.ts"
import type { RateLimiter } from "../server/limits.ts"
import type { PageDataRoutes } from "../free/pageData.ts"
import type { FreeRoutes } from "../skills.ts"
import { apiViewer } from "./apiViewer.ts"
import { digestMeta, digestPage } from "./digest.ts"
import { type DocsOptions, docsPages } from "./docs.tsx"
import { homeMeta, HomePage } from "./home.tsx"
import { madeOfOffer, type Offers } from "../paywall/offers.ts"
import { pageAnswer, type PageMeta } from "./layout.tsx"
import { type Bodies, pageRoute, type PageSources, source } from "./page.ts"
import { paywallMeta, PaywallPage } from "./paywallPage.tsx"
import { pricingPage } from "./pricing.tsx"
import type { Site } from "./site.ts"
import { statusMeta, StatusPage } from "./status.tsx"
import { PageContent } from "./sections.tsx"
import { signalsMeta, signalsPage } from "./signals.ts"
import { trackRecordMeta, TrackRecordPage } from "./trackRecord.tsx"

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

/** All pages and their sitemap, by path. */
export function pages(options: PageOptions): ReadonlyMap<string, EdgeRoute> {
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
    [paths.sitemap, { limiter, paid: null, current: () => sitemap }],
    [paths.iconBitmap, { limiter, paid: null, current: () => iconBitmap }],
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
  Object.values(products).map((product): [string, EdgeRoute] => {
    const current = madeOfOffer(offers, product, (offer) =>
      pageAnswer(
        site,
        paywallMeta(product, terms, offer),
        <PaywallPage site={site} product={product} />,
      ))
    return [product.path, { limiter, paid: null, current }]
  })

/** The pages that search engines may list. */
function listedPages({ site, limiter, free, data, docs }: PageOptions) {
  const record = source<Body<"track_record">>(free.track_record)
  const index = source<Body<"index">>(free.index)
  const recent = source<PageBody<"recent">>(data.recent)
  /** `content` returns null while what the page is about cannot be read. */
  const page = <Sources extends PageSources>(
    meta: PageMeta,
    sources: Sources,
    content: (bodies: Bodies<Sources>) => Child | null,
  ): [string, EdgeRoute] => {
    const render = (bodies: Bodies<Sources>) => {
      const made = content(bodies)
      return made === null ? unavailable(site, meta) : pageAnswer(site, meta, made)
    }
    return [meta.path, pageRoute({ limiter, sources, render })]
  }
  // A client that gets the page instead of llms.txt finds the documents as well.
  const homeWithLinks = { ...homeMeta, headers: [linkHeader(site.publicBaseUrl)] }
  return new Map([
    page(
      homeWithLinks,
      { index, recent, record },
      (bodies) => <HomePage site={site} {...bodies} />,
    ),
    page(
      trackRecordMeta,
      { record },
      ({ record }) => record === null ? null : <TrackRecordPage record={record} />,
    ),
    page(
      signalsMeta,
      { index, pulse: source<Body<"pulse">>(free.pulse), recent },
      ({ index, pulse, recent }) =>
        recent === null ? null : <PageContent page={signalsPage({ index, pulse, recent })} />,
    ),
    page(
      digestMeta,
      {
        brief: source<Body<"digest_brief">>(free.digest_brief),
        titles: source<PageBody<"digests">>(data.digests),
      },
      ({ brief, titles }) =>
        titles === null ? null : <PageContent page={digestPage({ brief, titles })} />,
    ),
    page(
      statusMeta,
      { status: source<PageBody<"status">>(data.status) },
      ({ status }) => status === null ? null : <StatusPage status={status} />,
    ),
    ...[pricingPage(docs), ...docsPages(docs)].map(({ meta, content }) => page(meta, {}, content)),
  ])
}

/** The page while its data cannot be read. */
const unavailable = (site: Site, meta: PageMeta) =>
  pageAnswer(
    site,
    { ...meta, status: 503, headers: [["retry-after", "5"]] },
    (
      <>
        <h1>{meta.title}</h1>
        <p>The service cannot read this now. Please try again in a few seconds.</p>
      </>
    ),
  )
