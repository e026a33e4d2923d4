/**
 * What pages show of feed items: their types, and the markets that they are about.
 *
 * @module
 */
import { Schema } from "effect"
import type { Child } from "hono/jsx"
import { FeedItem, type FeedType } from "../../feed/domain/item.ts"
import { isRecord, referenced } from "../../catalog/domain/shortForm.ts"
import { marketsPrefix } from "./paths.ts"
import type { Block } from "./sections.tsx"
import { code, link, name, say } from "./text.tsx"

/** Each type in one sentence. */
export const typeTexts: Readonly<
  Record<FeedType, { readonly name: string; readonly text: string }>
> = {
  mover: {
    name: "Mover",
    text: "The price moved far for this market, and stayed there.",
  },
  whale_entry: {
    name: "Whale entry",
    text: "A tracked wallet bought a position that is large enough to report.",
  },
  predetermined: {
    name: "Predetermined",
    text:
      "Headlines report an outcome, or the venue has a proposed one, while the price says otherwise.",
  },
}

export const badge = (type: FeedType): Child => (
  <span class={`badge ${type}`}>{typeTexts[type].name}</span>
)

/** The question of a market, as a link to its page. */
export const marketLink = (slug: string, question: string): Child =>
  link(marketsPrefix + encodeURIComponent(slug), name(question))

/** The fields that only a paid item has, by type, from the schema of the feed. */
export const paidFields: ReadonlyArray<Block> = FeedItem.members.map((member) => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(member.fields.data)
  const named = (value: unknown): Readonly<Record<string, unknown>> => {
    const definition = referenced(value)
    const found = definition === null ? value : definitions[definition]
    return isRecord(found) ? found : {}
  }
  const textOf = (field: unknown) =>
    isRecord(field) && typeof field["description"] === "string"
      ? field["description"]
      : named(field)["description"]
  const { properties } = named(schema)
  const fields = Object.entries(isRecord(properties) ? properties : {})
    .filter(([name]) => name !== "market")
  return {
    folded: `${typeTexts[member.fields.type.literal].name}: ${fields.length} fields`,
    blocks: [{
      list: fields.map(([name, field]) => say`${code(name)}: ${String(textOf(field) ?? "")}`),
    }],
  }
})
