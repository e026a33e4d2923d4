/**
 * Tries what the refund worker needs: its store, payments, and the treasury's key.
 *
 * Only the refund worker's process runs it, because it reads the key.
 *
 * @module
 */
import { Effect } from "effect"
import { address } from "../../payments/domain/payment.ts"
import { Treasury } from "../../payments/refunds/Treasury.ts"
import { storedPayments, type WorkerSettings } from "../moneySettings.ts"
import { tryChain } from "./chain.ts"
import { tryDatabase } from "./database.ts"
import { tryFacilitator } from "./facilitator.ts"
import { fail, ok, tryAll, warn } from "./rows.ts"

export const checkWorker = Effect.fnUntraced(function* (settings: WorkerSettings) {
  const { databaseUrl, payments, treasury, finality, network } = settings
  const rows = yield* tryAll([
    [
      "database",
      tryDatabase({
        url: databaseUrl,
        variable: "REFUND_DATABASE_URL",
        login: "worker",
        migrations: null,
        venue: null,
        payments: storedPayments(settings),
      }),
    ],
    ...payments.kind === "simulated" ? [] : [
      ["chain", tryChain({ ...payments, finality, network }, null, treasury)] as const,
      ["facilitator", tryFacilitator(payments.facilitator, network)] as const,
    ],
  ])
  const simulated = warn(
    "payments",
    "simulated: refunds move no money",
    "Set PAYMENTS=live with its settings",
  )
  return [payments.kind === "simulated" ? simulated : yield* keyRow(settings), ...rows]
})

/** Whether the key is the key of the treasury. */
const keyRow = Effect.fnUntraced(function* (settings: WorkerSettings) {
  const { treasuryKey: privateKey, treasury } = settings
  const own = yield* Effect.provide(Treasury, Treasury.layer({ privateKey }))
  return own.address === address(treasury)
    ? ok("key", `TREASURY_PRIVATE_KEY is the key of ${treasury}`)
    : fail(
      "key",
      `TREASURY_PRIVATE_KEY is the key of ${own.address}, not of TREASURY_ADDRESS`,
      "Set both to the same treasury, in the service too",
    )
})
