/**
 * Rows written in the recorded shape of the listing, each with what must be read from it: names, ends,
 * signs of mechanical markets, and keys of dependent ones.
 *
 * @module
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { Result } from "effect"
import { isoTime } from "../../../src/core/domain/time.ts"
import { decodeMarket } from "../../../src/venues/polymarket/gamma.ts"

interface Case {
  readonly about: string
  readonly expect: Readonly<Record<string, unknown>>
  readonly row: unknown
}

const file = new URL("../../../fixtures/listing/markets.json", import.meta.url)
const cases: ReadonlyArray<Case> = JSON.parse(Deno.readTextFileSync(file))

for (const { about, expect, row } of cases) {
  Deno.test(`the listing's row of ${about}`, () => {
    const decoded = decodeMarket(row)
    if (Result.isFailure(decoded)) return deepStrictEqual({ rejected: decoded.failure }, expect)
    const { gameStartsAt, ...market } = decoded.success
    const found: Readonly<Record<string, unknown>> = {
      ...market,
      gameStartsAt: gameStartsAt === null ? null : isoTime(gameStartsAt),
    }
    const asked = Object.keys(expect).map((name) => [name, found[name]])
    deepStrictEqual(Object.fromEntries(asked), expect)
  })
}

Deno.test("there is a row of every kind", () => strictEqual(cases.length, 18))
