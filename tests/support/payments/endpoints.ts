/**
 * Endpoints of one chain, of which one lies: about payments, refunds, heads, transfers and balances.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import { type Chain, ChainUnavailable } from "../../../src/payments/Chain.ts"
import { agreeing, type Endpoint } from "../../../src/payments/chain/agreement.ts"
import { address, Bytes32, type PaymentProof } from "../../../src/payments/domain/payment.ts"
import { buyer } from "./buyers.ts"

/** What a lying endpoint answers instead of the truth. */
export const lies = [
  "paid on a safe block",
  "paid on the newest block",
  "expired",
  "spent elsewhere",
  "not yet",
  "far behind",
  "far ahead",
  "another state",
  "another balance",
  "another block",
  "one transfer more",
  "no transfers",
  "down",
  "silent",
] as const
export type Lie = typeof lies[number]

/** A chain that is read at an honest endpoint and at one that answers `lieOf()`, when not null. */
export const twoEndpoints = (
  chain: Chain["Service"],
  lieOf: () => Lie | null,
  liarFirst = false,
) => {
  const pair = [honest(chain), lying(chain, lieOf)]
  return agreeing(liarFirst ? pair.toReversed() : pair)
}

function honest(chain: Chain["Service"]): Endpoint {
  return {
    chain,
    proofAsOf: (expected) =>
      Effect.zipWith(chain.paymentProof(expected), chain.head, (proof, { number }) => ({
        proof,
        asOf: number,
      })),
    hashOf: (block) => Effect.as(chain.head, `0x${block}`),
  }
}

const falseAt = {
  transaction: `0x${"fa".repeat(32)}`,
  block: 1n,
  logIndex: 3,
} as const

const falseProofs: Partial<Record<Lie, PaymentProof>> = {
  "paid on a safe block": { proof: "paid", at: { ...falseAt, finality: "safe" } },
  "paid on the newest block": { proof: "paid", at: { ...falseAt, finality: "latest" } },
  expired: { proof: "never", reason: "expired" },
  "spent elsewhere": { proof: "never", reason: "spent_elsewhere" },
  "not yet": { proof: "not_yet" },
}

const farBlocks: Partial<Record<Lie, bigint>> = { "far behind": -1_000n, "far ahead": 1_000n }

/** Applies what the endpoint does to every read, and returns the lie for this one. */
const outage = (lie: Lie | null) =>
  lie === "silent"
    ? Effect.never
    : lie === "down"
    ? Effect.fail(new ChainUnavailable({ reason: "down" }))
    : Effect.void

function lying(chain: Chain["Service"], lieOf: () => Lie | null): Endpoint {
  const truth = honest(chain)
  const instead = <A>(
    read: Effect.Effect<A, ChainUnavailable>,
    change: (lie: Lie, value: A) => A,
  ) =>
    Effect.suspend(() => {
      const lie = lieOf()
      return Effect.andThen(
        outage(lie),
        Effect.map(read, (value) => lie === null ? value : change(lie, value)),
      )
    }).pipe(Effect.timeoutOrElse({
      duration: Duration.seconds(4),
      orElse: () => Effect.fail(new ChainUnavailable({ reason: "no response in time" })),
    }))
  const state: Pick<
    Chain["Service"],
    "isNonceUsed" | "balanceOf" | "hasCode" | "wouldSettle"
  > = {
    isNonceUsed: (...nonce) =>
      instead(chain.isNonceUsed(...nonce), (lie, used) => lie === "another state" ? !used : used),
    balanceOf: (...holder) =>
      instead(
        chain.balanceOf(...holder),
        (lie, units) => lie === "another balance" ? units + 1_000_000_000n : units,
      ),
    hasCode: (at) => instead(chain.hasCode(at), (lie, has) => lie === "another state" ? !has : has),
    wouldSettle: (...transfer) =>
      instead(
        chain.wouldSettle(...transfer),
        (lie, would) => lie === "another state" ? "invalid_signature" : would,
      ),
  }
  return {
    chain: {
      ...chain,
      ...state,
      head: instead(chain.head, (lie, head) => ({
        ...head,
        number: head.number + (farBlocks[lie] ?? 0n),
        safeNumber: head.safeNumber + (farBlocks[lie] ?? 0n),
      })),
      transfers: (query) =>
        instead(chain.transfers(query), (lie, { transfers, through }) => ({
          through: through + (farBlocks[lie] ?? 0n),
          transfers: lie === "no transfers"
            ? []
            : lie === "one transfer more" && query.after !== null && through > query.after
            ? [...transfers, {
              from: address(buyer(8).address),
              to: query.to,
              value: 10_000n,
              nonce: Bytes32.make(`0x${"fa".repeat(32)}`),
              at: { ...falseAt, block: through, finality: "safe" },
            }]
            : transfers,
        })),
    },
    proofAsOf: (expected) =>
      instead(truth.proofAsOf(expected), (lie, { proof, asOf }) => ({
        proof: falseProofs[lie] ?? proof,
        asOf: asOf + (farBlocks[lie] ?? 0n),
      })),
    hashOf: (block) =>
      instead(truth.hashOf(block), (lie, hash) => lie === "another block" ? "0xfa" : hash),
  }
}
