/**
 * Atomic units of USDC and their decimal form.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { atomic, AtomicAmount, usd } from "../../../src/core/domain/money.ts"
import { law } from "../../support/effect.ts"

const anyAmount = Arbitrary.schema(
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 15n })),
)

law("atomic() parses the output of usd()", anyAmount, (units) => {
  const amount = AtomicAmount.make(units)
  return atomic(usd(amount) as `${number}`) === amount
})

law(
  "usd() has two to six decimals",
  anyAmount,
  (units) => /^\d+\.\d{2}(\d{0,3}[1-9])?$/.test(usd(AtomicAmount.make(units))),
)

Deno.test("usd() and atomic() convert the prices of the interface", () => {
  for (
    const [price, units] of [["0.01", 10_000n], ["0.03", 30_000n], ["1.00", 1_000_000n]] as const
  ) {
    equal<bigint>(atomic(price), units)
    equal(usd(AtomicAmount.make(units)), price)
  }
})
