/**
 * Where strangers' words stand in a prompt: as JSON, one value a line, between two markers that
 * nobody who wrote them could know.
 *
 * JSON leaves no line break inside a value, so no value can pass for a line of ours; signs that could
 * pass for markup are written as escapes. None of this makes a model obey us: what it answers is
 * decoded and checked, whatever it was shown.
 *
 * @module
 */
import { Array, Effect, Random } from "effect"

/** Eight times 32 bits. It need not withstand more than someone who never sees a prompt. */
export const boundary: Effect.Effect<string> = Effect.map(
  Effect.all(Array.makeBy(8, () => Random.nextIntBetween(0, 0xffff_ffff))),
  (parts) => `BLOCK-${parts.map((part) => part.toString(16).padStart(8, "0")).join("")}`,
)

/** Values between two lines that hold the boundary and nothing else. */
export function dataBlock(values: ReadonlyArray<unknown>, boundary: string): string {
  return [boundary, ...values.map(plainJson), boundary].join("\n")
}

/** As many of the first values as `max` characters of JSON hold. */
export function thatFit<A>(values: ReadonlyArray<A>, max: number): ReadonlyArray<A> {
  let length = 0
  const after = values.findIndex((value) => (length += plainJson(value).length + 1) > max)
  return after === -1 ? values : values.slice(0, after)
}

/** JSON without the signs of markup, of templates and of chat formats. */
function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&`|\u007f-\u009f\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}
