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
import type { WorkerCheckSettings } from "../moneySettings.ts"
import { tryChain } from "./chain.ts"
import { tryDatabase } from "./database.ts"
import { tryFacilitator } from "./facilitator.ts"
import { fail, ok, type Row, settingRows, tryAll, warn } from "./rows.ts"

export const checkWorker = Effect.fnUntraced(function* (settings: WorkerCheckSettings) {
  const { problems, databaseUrl, money } = settings
  const { facilitator, chain, treasury } = money
  const rows = yield* tryAll([
    ...databaseUrl === null ? [] : [
      [
        "database",
        tryDatabase({
          url: databaseUrl,
          variable: "REFUND_DATABASE_URL",
          login: "worker",
          migrations: null,
          venue: null,
          payments: money.simulated ? "simulated" : "live",
        }),
      ] as const,
    ],
    ...chain === null ? [] : [["chain", tryChain(chain, null, treasury)] as const],
    ...facilitator === null ? [] : [["facilitator", tryFacilitator(facilitator)] as const],
  ])
  return [
    ...settingRows(problems),
    ...money.simulated
      ? [
        warn("payments", "simulated: refunds move no money", "Set PAYMENTS=live with its settings"),
      ]
      : yield* keyRows(settings),
    ...rows,
  ]
})

/** Whether the key is the key of the treasury. */
const keyRows = Effect.fnUntraced(function* ({ treasuryKey, money }: WorkerCheckSettings) {
  if (treasuryKey === null || money.treasury === null) return []
  const treasury = address(money.treasury)
  const own = yield* Effect.provide(Treasury, Treasury.layer({ privateKey: treasuryKey }))
  const row: Row = own.address === treasury
    ? ok("key", `TREASURY_PRIVATE_KEY is the key of ${money.treasury}`)
    : fail(
      "key",
      `TREASURY_PRIVATE_KEY is the key of ${own.address}, not of TREASURY_ADDRESS`,
      "Set both to the same treasury, in the service too",
    )
  return [row]
})
