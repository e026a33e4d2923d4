/**
 * /.well-known/family: the catalog of sibling products, the same on every product of the family.
 *
 * @module
 */
import { Schema } from "effect"
import { type Answer, answer } from "../server/answer.ts"

/** Most products in the catalog. */
const familyProductsMax = 100

/** A display name: one line. */
const Name = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}]{1,100}$/u, { expected: "1 to 100 characters on one line" }),
)
const Slug = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,62}$/, { expected: "lower-case letters, digits and -" }),
)
const Address = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[!-~]{1,500}$/, { expected: "an http or https address" }),
)
/** A package name in the form of its registry. */
const PackageName = Schema.String.check(
  Schema.isPattern(/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]{0,213}$/, {
    expected: "a package name",
  }),
)

/** The catalog. */
export const ProductFamily = Schema.Struct({
  family: Name,
  products: Schema.Array(Schema.Struct({
    slug: Slug,
    name: Name,
    /** The address of its API. */
    api: Address,
    /** Its MCP package; null when there is none. */
    mcp: Schema.NullOr(PackageName),
  })).check(
    Schema.isMinLength(1, { expected: "at least one product" }),
    Schema.isMaxLength(familyProductsMax, { expected: `at most ${familyProductsMax} products` }),
  ),
})
export type ProductFamily = typeof ProductFamily.Type

/** A family with this service only. `scope`: the owner's on npm, once the packages are there. */
export function familyOfOne(publicBaseUrl: string, scope: string | null = null): ProductFamily {
  const mcp = scope === null ? null : `${scope}/bellwether-mcp`
  const own = { slug: "bellwether", name: "Bellwether", api: publicBaseUrl, mcp }
  return { family: "bellwether", products: [own] }
}

/** The catalog as an answer. */
export function familyAnswer({ family, products }: ProductFamily): Answer {
  return answer({ body: JSON.stringify({ success: true, family, products }), cache: "document" })
}
