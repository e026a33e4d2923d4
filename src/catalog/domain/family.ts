/**
 * The catalog of sibling products, the same on every product of the family. It is the owner's setting.
 *
 * @module
 */
import { Schema } from "effect"

/** Most products in the catalog. */
const familyProductsMax = 100

/** A text of this form: `expected` explains it in an error of the setting, `description` in documents. */
const form = (pattern: RegExp, expected: string, description: string) =>
  Schema.String.check(Schema.isPattern(pattern, { expected })).annotate({ description })

const namePattern = /^[^\p{Cc}]{1,100}$/u
const oneLine = "1 to 100 characters on one line"

export const ProductFamily = Schema.Struct({
  family: form(namePattern, oneLine, "A name that all products share"),
  products: Schema.Array(Schema.Struct({
    slug: form(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      "lower-case letters, digits and -",
      "Short name of the product, in lower case",
    ),
    name: form(namePattern, oneLine, "Name of the product, for people"),
    api: form(/^https?:\/\/[!-~]{1,500}$/, "an http or https address", "Where to call it"),
    mcp: Schema.NullOr(Schema.String.check(
      Schema.isPattern(/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]{0,213}$/, {
        expected: "a package name",
      }),
    )).annotate({ description: "Its MCP package; null without one" }),
  })).check(
    Schema.isMinLength(1, { expected: "at least one product" }),
    Schema.isMaxLength(familyProductsMax, { expected: `at most ${familyProductsMax} products` }),
  ).annotate({ description: "The products, this one included" }),
})
export type ProductFamily = typeof ProductFamily.Type

/** A family with this service only. `scope`: the owner's on npm, once the packages are there. */
export function familyOfOne(publicBaseUrl: string, scope: string | null = null): ProductFamily {
  const mcp = scope === null ? null : `${scope}/bellwether-mcp`
  const own = { slug: "bellwether", name: "Bellwether", api: publicBaseUrl, mcp }
  return { family: "bellwether", products: [own] }
}
