/**
 * The ledger of the simulated token, with the rules of the real contract: a nonce is used once, and
 * no payer spends more than its balance. A new payer starts with `playBalance`.
 *
 * @module
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Address, Bytes32 } from "../domain/payment.ts"

/** The initial balance of an address: 100 play dollars. */
export const playBalance = 100_000_000n

interface Transfer {
  readonly asset: Address
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly nonce: Bytes32
  readonly transaction: string
  /** The time of its block, in seconds since the Unix epoch. */
  readonly blockTime: bigint
}

/** How a nonce was used; `transfer` is null after a cancellation. */
interface Used {
  readonly transfer: { readonly to: string; readonly value: bigint } | null
  readonly transaction: string
  readonly blockTime: bigint
}

export class Ledger extends Context.Service<Ledger, {
  /** Moves the money, all or nothing. */
  readonly transfer: (
    transfer: Transfer,
  ) => Effect.Effect<"transferred" | "used" | "insufficient_funds">
  /** Cancels the nonce without moving money; false when it is used already. */
  readonly cancel: (use: Omit<Transfer, "to" | "value">) => Effect.Effect<boolean>
  readonly used: (
    asset: Address,
    from: Address,
    nonce: Bytes32,
  ) => Effect.Effect<Option.Option<Used>>
  /** The balance that an address can still spend. */
  readonly balance: (address: Address) => Effect.Effect<bigint>
  /** Every transfer to an address with a block time in (after, through], oldest first. */
  readonly transfersTo: (query: {
    readonly asset: Address
    readonly to: Address
    readonly after: bigint
    readonly through: bigint
  }) => Effect.Effect<ReadonlyArray<Transfer>>
  /** The total that was ever transferred to an address. */
  readonly received: (address: Address) => Effect.Effect<bigint>
}>()("bellwether/payments/Ledger") {}

/** The ledger in the store. It survives the process, and all replicas share it. */
export const layerStore: Layer.Layer<Ledger, never, SqlClient> = Layer.effect(
  Ledger,
  Effect.map(SqlClient, (sql) => Ledger.of({ ...writes(sql), ...reads(sql) })),
)

function writes(sql: SqlClient): Pick<Ledger["Service"], "transfer" | "cancel"> {
  return {
    transfer: ({ asset, from, nonce, to, value, transaction, blockTime }) =>
      sql<{ outcome: "transferred" | "used" | "insufficient_funds" }>`
        SELECT simulated_transfer(${asset}, ${from}, ${nonce}, ${to}, ${value}, ${playBalance},
          ${transaction}, ${blockTime}) AS outcome`.pipe(
        Effect.flatMap(([row]) => Effect.fromNullishOr(row?.outcome)),
        Effect.orDie,
      ),
    cancel: ({ asset, from, nonce, transaction, blockTime }) =>
      sql`
        INSERT INTO simulated_authorization (asset, payer, nonce, transaction, block_time)
        VALUES (${asset}, ${from}, ${nonce}, ${transaction}, ${blockTime})
        ON CONFLICT (asset, payer, nonce) DO NOTHING RETURNING 1`.pipe(
        Effect.map((rows) => rows.length === 1),
        Effect.orDie,
      ),
  }
}

interface UsedRow {
  readonly to: string | null
  readonly value: bigint | null
  readonly transaction: string
  readonly blockTime: bigint
}

function reads(sql: SqlClient): Omit<Ledger["Service"], "transfer" | "cancel"> {
  return {
    used: (asset, from, nonce) =>
      sql<UsedRow>`
        SELECT recipient AS "to", amount AS value, transaction, block_time AS "blockTime"
        FROM simulated_authorization
        WHERE asset = ${asset} AND payer = ${from} AND nonce = ${nonce}`.pipe(
        Effect.map(([row]) =>
          Option.map(Option.fromNullishOr(row), ({ to, value, transaction, blockTime }) => ({
            transfer: to === null || value === null ? null : { to, value },
            transaction,
            blockTime,
          }))
        ),
        Effect.orDie,
      ),
    balance: (address) =>
      sql<{ balance: bigint }>`
        SELECT balance FROM simulated_account WHERE address = ${address}`.pipe(
        Effect.map(([row]) => row?.balance ?? playBalance),
        Effect.orDie,
      ),
    received: (address) =>
      sql<{ received: bigint }>`
        SELECT coalesce(sum(amount), 0)::bigint AS received FROM simulated_authorization
        WHERE recipient = ${address}`.pipe(
        Effect.map(([row]) => row?.received ?? 0n),
        Effect.orDie,
      ),
    transfersTo: ({ asset, to, after, through }) =>
      sql<Transfer>`
        SELECT asset, payer AS "from", recipient AS "to", amount AS value, nonce, transaction,
          block_time AS "blockTime"
        FROM simulated_authorization
        WHERE asset = ${asset} AND recipient = ${to}
          AND block_time > ${after} AND block_time <= ${through}
        ORDER BY block_time, transaction`.pipe(Effect.orDie),
  }
}
