/**
 * The registry of skills: every product, and every free row with a JSON body.
 *
 * /openapi.json, the documents, the /a2a skills and the /mcp tools are all generated from it.
 *
 * @module
 */
import { Record } from "effect"
import { type FreeId, type FreeRow, freeRows } from "./freeRow.ts"
import { nearest } from "./nearest.ts"
import type { Parameter } from "./parameter.ts"
import { type Product, type ProductId, products } from "./product.ts"

type Shared = "title" | "description" | "use" | "tags" | "path" | "body" | "sample"

interface Named extends Pick<FreeRow, Shared> {
  /** Its name over /a2a and /mcp. */
  readonly name: SkillName
  readonly parameters: ReadonlyArray<Parameter>
}

export interface PaidSkill extends Named {
  readonly kind: "paid"
  readonly id: ProductId
  readonly product: Product
}

export interface FreeSkill extends Named {
  readonly kind: "free"
  readonly id: FreeId
}

export type Skill = PaidSkill | FreeSkill
type SkillName = `get_${string}`

/** The skill name of a row, the same in every document, in /a2a and in /mcp. */
export function skillName({ id }: { readonly id: string }): SkillName {
  return `get_${id}`
}

/** The address of a row's MCP tool. */
export function toolUrl(row: { readonly id: string }): string {
  return `mcp://tool/${skillName(row)}`
}

/** The operationId of a row in /openapi.json, in camelCase. */
export function operationId({ id }: { readonly id: string }): string {
  return skillName({ id }).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

const paid = (id: ProductId): PaidSkill => {
  const product: Product = products[id]
  return { ...product, kind: "paid", id, name: skillName(product), product }
}

const free = (id: FreeId): FreeSkill => {
  const row: FreeRow = freeRows[id]
  return { parameters: [], ...row, kind: "free", id, name: skillName(row) }
}

/** Free skills first, because an agent should call them first. */
export const skills: ReadonlyArray<Skill> = [
  ...Record.keys(freeRows).filter((id) => !("isText" in freeRows[id])).map(free),
  ...Record.keys(products).map(paid),
]

/** The skill with this name; undefined when there is none. */
export function skillOf(name: unknown): Skill | undefined {
  return skills.find((skill) => skill.name === name)
}

/** What an error says of a name that no skill has: all names, and the one that was probably meant. */
export function unknownSkill(name: unknown): string {
  const names = skills.map(({ name }) => name)
  const meant = typeof name === "string" ? nearest(names, name.replace(/[A-Z]/g, "_$&")) : null
  return `must be one of ${names.join(", ")}${meant === null ? "" : `; did you mean ${meant}?`}`
}
