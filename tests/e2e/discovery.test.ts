/**
 * The x402 catalog, read by x402's own client; and /llms.txt, read by the rules of its format.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual, throws } from "node:assert/strict"
import { HTTPFacilitatorClient } from "@x402/core/http"
import {
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  withBazaar,
} from "@x402/extensions"
import { Effect } from "effect"
import { freeRows } from "../../src/catalog/domain/freeRow.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { liveTest } from "../support/effect.ts"
import { readLlmsText } from "../support/http/llmsText.ts"
import { servedService } from "../support/http/servedService.ts"

const sold = Object.values(products)

const catalogOf = (url: string) => withBazaar(new HTTPFacilitatorClient({ url })).extensions.bazaar

liveTest(
  "the official x402 catalog client lists exactly the paid products, with their prices",
  () =>
    Effect.gen(function* () {
      const base = yield* servedService
      const { items, pagination } = yield* Effect.promise(() => catalogOf(base).listResources())
      equal(
        items.map(({ resource, type, x402Version, accepts }) => [
          ...[resource, type, x402Version],
          ...accepts.map(({ amount, payTo }) => [amount, payTo]),
        ]),
        yield* Effect.forEach(sold, ({ path, price }) =>
          Effect.promise(async () => {
            const response = await fetch(base + path)
            await response.body?.cancel()
            const [accepted] =
              JSON.parse(atob(response.headers.get("payment-required") ?? "")).accepts
            return [base + path, "http", 2, [price.toString(), accepted.payTo]]
          })),
      )
      equal([pagination.offset, pagination.total], [0, sold.length])
      ok(pagination.limit >= sold.length)
      for (const item of items) {
        const { bazaar } = item.extensions as unknown as {
          readonly bazaar: Parameters<typeof validateDiscoveryExtension>[0]
        }
        equal(validateDiscoveryExtension(bazaar), { valid: true }, item.resource)
        equal(validateDiscoveryExtensionSpec({ ...bazaar }), { valid: true }, item.resource)
      }
    }),
)

liveTest(
  "/llms.txt follows the rules of its reference parser, and is short",
  () =>
    Effect.gen(function* () {
      const base = yield* servedService
      const response = yield* Effect.promise(() => fetch(`${base}/llms.txt`))
      const text = yield* Effect.promise(() => response.text())
      equal([response.status, response.headers.get("content-type")], [
        200,
        "text/plain; charset=utf-8",
      ])
      ok(text.length < 4_096, `${text.length}`)
      const { title, summary, information, sections } = readLlmsText(text)
      strictEqual(title, "Bellwether")
      ok(summary !== null && information !== "")
      const urls = [...sections.values()].flat().map(({ url }) => url)
      strictEqual(new Set(urls).size, urls.length)
      for (const { path } of sold) ok(urls.includes(base + path), path)
      ok(urls.includes(base + freeRows.index.path))
    }),
)

liveTest(
  "every link of /llms.txt leads to a document of the service",
  () =>
    Effect.gen(function* () {
      const base = yield* servedService
      const text = yield* Effect.promise(async () => await (await fetch(`${base}/llms.txt`)).text())
      for (const { url } of [...readLlmsText(text).sections.values()].flat()) {
        ok(url.startsWith(base), url)
        const response = yield* Effect.promise(() => fetch(url))
        yield* Effect.promise(() => response.arrayBuffer())
        // A paid path returns 402; /mcp and /a2a accept only POST.
        ok([200, 402, 405].includes(response.status), `${url} is ${response.status}`)
      }
    }),
)

const validText =
  "# A\n\n> B\n\nC\n\n## D\n\n- [e](https://f.example): g\n- [h](https://i.example)\n"

Deno.test("readLlmsText() reads a valid text", () => {
  const { title, summary, information, sections } = readLlmsText(validText)
  equal([title, summary, information], ["A", "B", "C"])
  equal([...sections], [["D", [
    { title: "e", url: "https://f.example", note: "g" },
    { title: "h", url: "https://i.example", note: null },
  ]]])
})

for (
  const [what, text] of [
    ["no title", validText.replace("# A\n", "")],
    ["a heading among the information", validText.replace("C\n", "### C\n")],
    ["prose in a section", `${validText}\nSome prose.\n`],
    ["a list without a link", `${validText}- e: g\n`],
    ["a section without links", `${validText}\n## J\n`],
    ["a section that occurs twice", `${validText}\n## D\n\n- [e](https://f.example)\n`],
  ] as const
) {
  Deno.test(`readLlmsText() refuses ${what}`, () => {
    throws(() => readLlmsText(text))
  })
}
