/**
 * Query parameters: values in range are decoded; any other is an error that says what is expected.
 *
 * @module
 */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { queryReader, sentenceOf } from "../../../src/catalog/domain/parameter.ts"
import { law } from "../../support/effect.ts"

const readSignals = queryReader(products.signals.parameters)
const read = (query: string) => readSignals(new URLSearchParams(query))

function faultsOf(query: string): ReadonlyArray<string> {
  const result = read(query)
  return Result.isFailure(result) ? result.failure.map((fault) => sentenceOf([fault])) : []
}

const text = Arbitrary.schema(Schema.String)
const digits = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[0-9]{1,18}$/)))

law(
  "queryReader() accepts only integers of 1 to 15 digits in range",
  digits,
  (value) => {
    const number = Number(value)
    const isValid = value.length <= 15
    const since = read(`since=${value}`)
    strictEqual(Result.isSuccess(since), isValid)
    if (isValid) deepStrictEqual(since, Result.succeed({ since: number, count: 10, type: null }))
    strictEqual(Result.isSuccess(read(`count=${value}`)), isValid && number >= 1 && number <= 20)
  },
)

law("queryReader() refuses text as an integer", text, (value) => {
  const result = readSignals(new URLSearchParams([["since", value]]))
  strictEqual(Result.isSuccess(result), /^\d{1,15}$/.test(value))
})

law("queryReader() refuses a repeated parameter", digits, (value) => {
  deepStrictEqual(faultsOf(`since=${value}&since=1`), ["since must be given at most once"])
})

const readResolving = queryReader(products.resolving.parameters)
const numerals = Arbitrary.schema(
  Schema.String.check(Schema.isPattern(/^[0-9]{0,14}\.?[0-9]{0,8}$/)),
)

law("queryReader() accepts only numbers of up to 12 digits and 6 decimals", numerals, (value) => {
  const isValid = /^\d{1,12}(\.\d{1,6})?$/.test(value) && Number(value) >= 1_000
  const result = readResolving(new URLSearchParams([["minLiquidity", value]]))
  strictEqual(Result.isSuccess(result), isValid, value)
  if (isValid) {
    deepStrictEqual(Result.map(result, (read) => read.minLiquidity), Result.succeed(+value))
  }
})

Deno.test("queryReader() checks the pattern of text, and reports a missing required parameter", () => {
  const read = queryReader(products.research.parameters)
  for (const market of ["a-slug-2027", "Frech-vs-Zvonareva", "57.5m_x", "a".repeat(255)]) {
    deepStrictEqual(read(new URLSearchParams({ market })), Result.succeed({ market }))
  }
  for (
    const page of [
      "https://polymarket.com/event/an-event/a-slug",
      "https://simulated.example/event/an-event/a-slug",
      "https://www.polymarket.com/event/a-slug/?tid=1#comments",
      "http://polymarket.com/market/a-slug?a=https://other.example/event/b/c",
      "HTTPS://Polymarket.COM/Event/an-event/a-slug/",
      "polymarket.com/event/a-slug",
      "https://polymarket.com/es/event/an-event/a-slug",
      "https://any-service.example/markets/a-slug?a=1",
      "http://127.0.0.1:8402/markets/a-slug",
    ]
  ) {
    const query = new URLSearchParams({ market: page })
    deepStrictEqual(read(query), Result.succeed({ market: "a-slug" }), page)
  }
  for (
    const page of [
      "https://other.example/event/an-event/a-slug",
      "https://polymarket.com.other.example/event/a-slug",
      "https://other@polymarket.com/event/a-slug",
      "https://polymarketxcom/event/a-slug",
      "https://polymarket.com/profile/a-slug",
      "https://polymarket.com/event/",
      "https://polymarket.com/event/a/b/c",
      "https://other@any-service.example/markets/a-slug",
      "https://any-service.example/markets/a/b",
      "other.example/polymarket.com/event/a",
      "a/b",
      "a?b",
    ]
  ) {
    const result = read(new URLSearchParams({ market: page }))
    match(
      Result.isFailure(result) ? sentenceOf(result.failure) : "accepted",
      /^market must be a slug such as [a-z-]+, or the venue's page address: got "/,
    )
  }
  for (const query of ["market=a b", "market=-a", "market=", `market=${"a".repeat(256)}`, ""]) {
    const result = read(new URLSearchParams(query))
    ok(Result.isFailure(result), query)
    deepStrictEqual(result.failure[0]?.message.includes("missing"), query === "", query)
  }
})

Deno.test("queryReader() repeats at most 40 characters of a wrong value", () => {
  const [fault] = faultsOf(`since=${"x".repeat(1_000)}`)
  strictEqual(fault?.endsWith(`got "${"x".repeat(40)}"`), true)
})
