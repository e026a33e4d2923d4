/**
 * Every link of every page to this service leads to an answer, and every fragment to an element.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { test } from "../../support/effect.ts"
import { base, openDocumentService } from "../../support/http/documents.ts"

const asBrowser = { headers: { accept: "text/html,*/*;q=0.8" } }

/** The targets of a page's links to this service. */
const linksOf = (html: string, path: string): ReadonlyArray<URL> =>
  [...html.matchAll(/<(?:a|link)\b[^>]*\shref="([^"]*)"/g)]
    .map(([, href = ""]) => new URL(href.replaceAll("&amp;", "&"), base + path))
    .filter(({ origin }) => origin === base)

test("every link of every page leads to an answer and to an element of it", () =>
  Effect.gen(function* () {
    const service = yield* openDocumentService
    const read = Effect.fnUntraced(function* (path: string) {
      const response = yield* service.get(path as `/${string}`, asBrowser)
      return { status: response.status, text: yield* Effect.promise(() => response.text()) }
    })
    const sitemap = yield* read("/sitemap.xml")
    const pages = [...sitemap.text.matchAll(/<loc>([^<]*)<\/loc>/g)]
      .map(([, url = ""]) => url.slice(base.length))
    ok(pages.length >= 15, `${pages.length} pages`)
    const answers = new Map<string, { readonly status: number; readonly text: string }>()
    const dead = new Set<string>()
    for (const page of pages) {
      const { text } = yield* read(page)
      for (const { pathname, search, hash } of linksOf(text, page)) {
        const target = answers.get(pathname + search) ?? (yield* read(pathname + search))
        answers.set(pathname + search, target)
        if (![200, 402].includes(target.status)) dead.add(`${page}: ${pathname} ${target.status}`)
        const id = decodeURIComponent(hash.slice(1))
        if (id !== "" && !target.text.includes(` id="${id}"`)) {
          dead.add(`${page}: ${pathname}${hash}`)
        }
      }
    }
    equal([...dead], [])
  }))
