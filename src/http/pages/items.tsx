/**
 * What pages show of feed items: their types, and the markets that they are about.
 *
 * @module
 */
import { Schema } from "effect"
import { FeedItem, type FeedType } from "../../feed/domain/item.ts"
import { isRecord, referenced } from "../../catalog/domain/shortForm.ts"
import { Name } from "./parts.tsx"
import { marketsPrefix } from "./paths.ts"

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

export function TypeBadge({ type }: { type: FeedType }) {
  return <span class={`badge ${type}`}>{typeTexts[type].name}</span>
}

/** The question of a market, as a link to its page. */
export function MarketLink({ slug, question }: { slug: string; question: string }) {
  return (
    <a href={marketsPrefix + encodeURIComponent(slug)}>
      <Name of={question} />
    </a>
  )
}

/** The fields that only a paid item has, by type, from the schema of the feed. */
const paidFields = FeedItem.members.map((member) => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(member.fields.data)
  const named = (value: unknown): Readonly<Record<string, unknown>> => {
    const name = referenced(value)
    const found = name === null ? value : definitions[name]
    return isRecord(found) ? found : {}
  }
  const { properties } = named(schema)
  const fields = Object.entries(isRecord(properties) ? properties : {})
  const textOf = (field: unknown) =>
    isRecord(field) && typeof field["description"] === "string"
      ? field["description"]
      : named(field)["description"]
  return {
    type: member.fields.type.literal,
    fields: fields.filter(([name]) => name !== "market").map(([name, field]) => ({
      name,
      text: String(textOf(field) ?? ""),
    })),
  }
})

/** The fields of a paid item, by type. */
export function PaidFields() {
  return (
    <>
      {paidFields.map(({ type, fields }) => (
        <details key={type}>
          <summary>
            {typeTexts[type].name}: {fields.length} fields
          </summary>
          <ul>
            {fields.map(({ name, text }) => (
              <li key={name}>
                <code>{name}</code>: {text}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  )
}
