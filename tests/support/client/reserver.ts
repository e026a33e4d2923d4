/**
 * A process that reserves payments in a shared ledger until the budget is used up, and prints the id of
 * each that it was granted: reserver.ts FOLDER NAME BUDGET
 *
 * @module
 */
import { fileLedger } from "../../../packages/client/src/fileLedger.ts"
import { leftToday, utcDay, withSigned } from "../../../packages/client/src/ledger.ts"

const [folder = "", name = "", budget = "0"] = Deno.args
const nowMs = 1_795_000_000_000
const ledger = fileLedger(folder)
const payTo = `0x${"b2".repeat(20)}`

for (let n = 0;; n += 1) {
  const amount = 1 + n % 3
  const paymentId = `0x${
    [...new TextEncoder().encode(`${name}-${n}`)].map((byte) => byte.toString(16).padStart(2, "0"))
      .join("").padStart(64, "0")
  }`
  const granted = await ledger.transact<"signed" | "over" | "less">((state) => {
    const left = leftToday(state, BigInt(budget), nowMs)
    if (left === 0n) return { state, result: "over" }
    if (BigInt(amount) > left) return { state, result: "less" }
    const payment = {
      ...{ paymentId, url: `http://a.example/${name}/${n}`, payer: payTo, amount: String(amount) },
      ...{ day: utcDay(nowMs), validBefore: 0, outcome: "unclear" as const },
      sent: { signature: "signature", key: "key" },
    }
    return { state: withSigned(state, payment, payTo), result: "signed" }
  })
  if (granted === "over") break
  if (granted === "signed") await Deno.stdout.write(new TextEncoder().encode(`${paymentId}\n`))
}
