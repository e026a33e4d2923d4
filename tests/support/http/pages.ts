/**
 * All pages of a running service, as a browser finds them: the known paths, the
 * sitemap, and the links on every page.
 *
 * @module
 */
import { products } from "../../../src/catalog/domain/product.ts"
import { pagePaths } from "../../../src/http/documents/addresses.ts"

/** As Chromium asks for a document. */
export const browserAccept =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

export interface FoundPage {
  readonly path: string
  readonly status: number
  readonly html: string
}

/** Most pages that are read; more are a fault of the test. */
const pagesMax = 200

/** A page by path; null where none or something else is served. */
async function readPage(base: string, path: string): Promise<FoundPage | null> {
  const response = await fetch(base + path, { headers: { accept: browserAccept } })
  const html = await response.text()
  const isPage = (response.headers.get("content-type") ?? "").startsWith("text/html")
  return isPage && response.status !== 404 ? { path, status: response.status, html } : null
}

/** The paths of this service that a text links to. */
export function linkedPaths(base: string, html: string): ReadonlyArray<string> {
  const links = [...html.matchAll(/<(?:a|link)\b[^>]*?\bhref="([^"]*)"/g)].map(([, href = ""]) =>
    URL.parse(href.replaceAll("&amp;", "&"), `${base}/`)
  )
  return [
    ...new Set(links.flatMap((url) => url?.origin === base ? [url.pathname + url.search] : [])),
  ]
}

/** Pages alike have the same parent, such as the pages of markets. */
const kindOf = (path: string) => path.slice(0, path.lastIndexOf("/")) || path

/** Every known page, and of each group of others with the same parent at most `alikeMax`. */
export async function allPages(base: string, alikeMax: number): Promise<ReadonlyArray<FoundPage>> {
  const sitemap = await (await fetch(`${base}/sitemap.xml`)).text()
  const listed = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = ""]) =>
    new URL(url).pathname
  )
  const paid = Object.values(products).map(({ path }) => path)
  const known = new Set<string>(Object.values(pagePaths))
  const queue = [...new Set<string>([...known, ...listed, ...paid])]
  const pages: Array<FoundPage> = []
  const alike = new Map<string, number>()
  for (const path of queue) {
    const kind = kindOf(path)
    if (!known.has(path) && (alike.get(kind) ?? 0) >= alikeMax) continue
    const page = await readPage(base, path)
    if (page === null) continue
    if (pages.push(page) > pagesMax) throw new Error("Too many pages")
    if (!known.has(path)) alike.set(kind, (alike.get(kind) ?? 0) + 1)
    queue.push(...linkedPaths(base, page.html).filter((other) => !queue.includes(other)))
  }
  return pages
}
