/**
 * A held payment: a caller that passes an answer on says when it has arrived. Until then the same call
 * sends the same payment, so an answer that is lost on its way is fetched and not bought again.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { memoryLedger } from "../../../packages/client/src/client.ts"
import { clientOf, makeSeller, onClock } from "../../support/client/seller.ts"

Deno.test("a held payment is sent again until its answer has arrived", () =>
  onClock(async (clock) => {
    const seller = makeSeller(clock)
    const client = clientOf(seller, clock, { ledger: memoryLedger() })
    const buy = () => client.call("get_latest", {}, { hold: true })
    const outcomes = async () => (await client.payments()).map(({ outcome }) => outcome)

    const lost = await buy()
    equal(await outcomes(), ["unclear"])
    const again = await buy()
    strictEqual(again.payment?.paymentId, lost.payment?.paymentId)
    strictEqual(seller.nonces().size, 1)

    await client.received(again.payment?.paymentId ?? "")
    equal(await outcomes(), ["charged"])
    await buy()
    strictEqual(seller.nonces().size, 2)
  }))

Deno.test("without a hold an answer counts as arrived", () =>
  onClock(async (clock) => {
    const seller = makeSeller(clock)
    const client = clientOf(seller, clock)
    await client.latest()
    await client.latest()
    strictEqual(seller.nonces().size, 2)
  }))
