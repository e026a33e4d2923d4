/**
 * Tries the JSON-RPC endpoint, or several that must agree: the chain, the age of its newest block, the USDC contract, the logs
 * that the scan reads, and the treasury's balance.
 *
 * @module
 */
import { Clock, Effect, Redacted } from "effect"
import { AtomicAmount, usd } from "../../core/domain/money.ts"
import { layer as chainLayer } from "../../payments/chain/chain.ts"
import { Chain } from "../../payments/Chain.ts"
import { type Address, address } from "../../payments/domain/payment.ts"
import type { Network } from "../../payments/domain/x402/terms.ts"
import type { LivePayments, MoneySettings } from "../moneySettings.ts"
import { fail, ok, type Row, type Tried, warn } from "./rows.ts"

/** A product that is settled early is refunded from here; below this nothing is sold early. */
const treasuryMin = 1_000_000n
const blockAgeSecondsMax = 30
/** As many blocks as the scan reads in one range. */
const scanBlocks = 2_000n

export const tryChain = (
  { rpcUrls, finality, rehearsal, network }:
    & Pick<LivePayments, "rpcUrls" | "rehearsal">
    & Pick<MoneySettings, "finality" | "network">,
  payTo: string | null,
  treasury: string,
): Effect.Effect<Tried> =>
  Effect.gen(function* () {
    const chain = yield* Chain
    const head = yield* chain.head
    const nowMs = yield* Clock.currentTimeMillis
    const blockMs = Number(head.timestamp) * 1_000
    const ageSeconds = Math.round((nowMs - blockMs) / 1_000)
    const endpoints = Redacted.value(rpcUrls).length
    const found = `chain ${network.usdc.chainId}, block ${head.number}, ${ageSeconds} s old` +
      (endpoints > 1 ? `; ${endpoints} endpoints agree` : "")
    const clocks = blockMs > nowMs
      ? [{ source: "the chain", aheadMs: nowMs - blockMs, errorMs: 1_000 }]
      : []
    if (!rehearsal && ageSeconds > blockAgeSecondsMax) {
      const todo = "The endpoint is behind its chain: set RPC_URL to another one"
      return { rows: [fail("chain", found, todo)], clocks }
    }
    const rows = yield* Effect.all([
      Effect.succeed([ok("chain", found)]),
      tokenRows(network, address(treasury)),
      payTo === null ? Effect.succeed([]) : logRows(network, address(payTo), head.safeNumber),
    ], { concurrency: "unbounded" })
    return { rows: rows.flat(), clocks }
  }).pipe(
    Effect.catch(({ reason }) =>
      Effect.succeed({ rows: [fail("chain", reason, endpointTodo(network, reason))] })
    ),
    Effect.provide(
      chainLayer({
        ...{ rpcUrls: Redacted.value(rpcUrls), finality },
        chainId: network.usdc.chainId,
      }),
    ),
  )

const endpointTodo = ({ usdc, title }: Network, reason: string) =>
  reason.includes("disagree")
    ? "Nothing is sold while the endpoints disagree: replace the one in RPC_URL that is wrong or behind"
    : reason.includes("serves chain")
    ? `Set RPC_URL to an endpoint of chain ${usdc.chainId}, which is ${title}`
    : "Check RPC_URL, its key, and that this machine can reach it; a node without the tag `safe` " +
      "needs FINALITY as a number of blocks"

const tokenRows = Effect.fnUntraced(function* (network: Network, treasury: Address) {
  const token = address(network.usdc.asset)
  const chain = yield* Chain
  if (!(yield* chain.hasCode(token))) {
    const found = `no contract at ${network.usdc.asset}, the address of USDC`
    return [
      fail("usdc", found, `Set RPC_URL to an endpoint of ${network.title}, or to a fork of it`),
    ]
  }
  const balance = yield* chain.balanceOf(token, treasury)
  return [ok("usdc", `the contract ${network.usdc.asset} answers`), treasuryRow(network, balance)]
}, (rows) => rowsUnlessSilent("usdc", rows))

function treasuryRow({ title }: Network, balance: bigint): Row {
  const found = `$${usd(AtomicAmount.make(balance))} in USDC`
  return balance >= treasuryMin ? ok("treasury", found) : warn(
    "treasury",
    found,
    `Send USDC on ${title} to TREASURY_ADDRESS, at least $${
      usd(AtomicAmount.make(treasuryMin))
    }: ` +
      "refunds are paid from it. It needs no ETH and no allowance, because the facilitator sends " +
      "the signed transfer",
  )
}

const logRows = Effect.fnUntraced(function* (network: Network, payTo: Address, safe: bigint) {
  const chain = yield* Chain
  const after = safe > scanBlocks ? safe - scanBlocks : 0n
  const { through } = yield* chain.transfers({
    asset: address(network.usdc.asset),
    to: payTo,
    after,
  })
  const blocks = through - after
  return blocks > 0n && through < safe
    ? [warn(
      "logs",
      `the endpoint returns the logs of ${blocks} blocks at once; the scan asks for ${scanBlocks}`,
      "Use an endpoint with a larger range of eth_getLogs, or the scan is slow",
    )]
    : [ok("logs", `the transfers in ${blocks} blocks can be read at once`)]
}, (rows) => rowsUnlessSilent("logs", rows))

const rowsUnlessSilent = <R>(
  part: string,
  rows: Effect.Effect<ReadonlyArray<Row>, { readonly reason: string }, R>,
) =>
  Effect.catch(rows, ({ reason }) =>
    Effect.succeed([
      fail(part, reason, "The endpoint does not serve this call: set RPC_URL to another one"),
    ]))
