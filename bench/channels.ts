/**
 * Payment channels with the standard packages and the contract of x402 on anvil: an unmodified buyer
 * pays the service by vouchers, the unmodified facilitator lands deposits, claims and refunds.
 *
 * The contract is not ours, so its code is not here. The argument names a JSON file with `settlement`,
 * `collector`, `multicall` and `token`, each with `creation` (bytecode) and `abi`: the contracts
 * x402BatchSettlement, ERC3009DepositCollector and Multicall3, and an EIP-3009 token.
 *
 *     npm ci --prefix tests/anvil && deno run --lock=tests/deno.lock -A --no-check bench/channels.ts FILE
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { x402Facilitator } from "@x402/core/facilitator"
import { toClientEvmSigner, toFacilitatorEvmSigner } from "@x402/evm"
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client"
import { BatchSettlementEvmScheme as FacilitatorScheme } from "@x402/evm/batch-settlement/facilitator"
import { ExactEvmScheme } from "@x402/evm/exact/facilitator"
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect } from "effect"
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { base } from "viem/chains"
import { address } from "../src/payments/domain/payment.ts"
import { type Anvil, startAnvil } from "../tests/support/payments/anvil.ts"
import { buyer } from "../tests/support/payments/buyers.ts"
import { removeFolder, startDev } from "../tests/support/process.ts"
import { terms } from "../tests/support/payments/terms.ts"

const print = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`))

const [file = ""] = Deno.args
const contracts: Record<string, { readonly creation: Hex; readonly abi: Abi }> = JSON.parse(
  Deno.readTextFileSync(file),
)
const at = {
  settlement: address("0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003"),
  collector: address("0x4020806089470a89826cB9fB1f4059150b550004"),
  multicall: address("0xcA11bde05977b3631167028862bE2a173976CA11"),
  token: address(terms.asset),
} as const
const network = "eip155:8453"
const gasKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
const treasuryKey = `0x${"7ea5".padEnd(64, "0")}` as const
const authorizer = privateKeyToAccount(`0x${"aa".repeat(32)}`)
const path = "/v1/latest"
const price = 10_000n
const calls = Number(Deno.env.get("CALLS") ?? 100)

const sent = (anvil: Anvil, from: string, to: string | null, data: Hex) =>
  Effect.gen(function* () {
    const call = { from, ...to === null ? {} : { to }, data, gas: "0x4c4b40" }
    const hash = yield* anvil.call("eth_sendTransaction", call)
    for (;;) {
      const receipt = yield* anvil.call("eth_getTransactionReceipt", hash)
      if (receipt !== null) return receipt as { readonly contractAddress: string; status: string }
      yield* Effect.sleep(200)
    }
  })

/** Puts a contract at its address: deployed first, because its constructor sets a part of its code. */
const place = Effect.fnUntraced(function* (
  anvil: Anvil,
  gas: string,
  name: keyof typeof at,
  args: ReadonlyArray<unknown> = [],
) {
  const { creation: bytecode, abi } = contracts[name] ?? { creation: "0x", abi: [] }
  const data = encodeDeployData({ abi, bytecode, args } as Parameters<typeof encodeDeployData>[0])
  const { contractAddress } = yield* sent(anvil, gas, null, data)
  const code = yield* anvil.call("eth_getCode", contractAddress, "latest")
  yield* anvil.call("anvil_setCode", at[name], code)
})

const startFacilitator = Effect.fnUntraced(function* (rpcUrl: string) {
  const account = privateKeyToAccount(gasKey)
  const wallet = createWalletClient({
    ...{ account, chain: base, transport: http(rpcUrl), pollingInterval: 100 },
  }).extend(publicActions)
  const signer = toFacilitatorEvmSigner(
    Object.assign(wallet, { address: account.address }) as never,
  )
  const facilitator = new x402Facilitator()
    .register(network, new ExactEvmScheme(signer))
    .register(network, new FacilitatorScheme(signer, authorizer as never))
  const settled = new Map<string, number>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
        const { pathname } = new URL(request.url)
        if (pathname === "/supported") return Response.json(facilitator.getSupported())
        const { paymentPayload, paymentRequirements } = await request.json()
        const type = `${pathname} ${paymentPayload.payload.type}`
        const result = pathname === "/verify"
          ? await facilitator.verify(paymentPayload, paymentRequirements)
          : await facilitator.settle(paymentPayload, paymentRequirements)
        const ok = "isValid" in result ? result.isValid : result.success
        settled.set(`${type} ${ok}`, (settled.get(`${type} ${ok}`) ?? 0) + 1)
        if (!ok) print(`facilitator ${type} ${JSON.stringify(result)}`)
        return Response.json(result)
      })
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return { url: `http://127.0.0.1:${server.addr.port}`, settled }
})

/** Waits until something is so, for minutes on a busy machine. */
const waitFor = (isSo: () => Promise<boolean>) =>
  Effect.promise(async () => {
    for (let i = 0; i < 300; i++) {
      if (await isSo().catch(() => false)) return
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    throw new Error("not in time")
  })

const world = Effect.gen(function* () {
  const anvil = yield* startAnvil({ blockSeconds: 1 })
  const [gas = ""] = (yield* anvil.call("eth_accounts")) as ReadonlyArray<string>
  yield* place(anvil, gas, "token")
  yield* place(anvil, gas, "settlement")
  yield* place(anvil, gas, "collector", [at.settlement])
  yield* place(anvil, gas, "multicall")
  const token = contracts["token"]?.abi ?? []
  for (let n = 0; n < 4; n++) {
    const args = [buyer(n).address, 100_000_000n]
    const data = encodeFunctionData({ abi: token, functionName: "mint", args })
    yield* sent(anvil, gas, at.token, data)
    yield* anvil.call("anvil_setBalance", buyer(n).address, "0xde0b6b3a7640000")
  }
  const facilitator = yield* startFacilitator(anvil.url)
  const dir = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await Deno.mkdir(".data", { recursive: true })
      return Deno.makeTempDir({ dir: ".data", prefix: "channels-" })
    }),
    removeFolder,
  )
  const service = yield* startDev(dir, {
    PAYMENTS: "live",
    FACILITATOR_URL: facilitator.url,
    RPC_URL: anvil.url,
    PAY_TO_ADDRESS: terms.payTo,
    TREASURY_ADDRESS: privateKeyToAccount(treasuryKey).address,
    TREASURY_PRIVATE_KEY: treasuryKey,
    CHANNEL_AUTHORIZER: authorizer.address,
    CHANNEL_UNCLAIMED_MAX_USD: "10",
    CHANNELS_UNCLAIMED_MAX_USD: "50",
    ...{ HOLD: "3 seconds", TICK: "30 seconds", SWEEP: "500 millis", SCAN: "1 second" },
  })
  yield* waitFor(async () => {
    const { index } = await (await fetch(`${service.base}/v1/index`)).json()
    return index > 0
  })
  return { anvil, facilitator, service }
})

const read = (
  anvil: Anvil,
  name: keyof typeof at,
  functionName: string,
  args: ReadonlyArray<unknown>,
) => {
  const client = createPublicClient({ chain: base, transport: http(anvil.url) })
  const abi = contracts[name]?.abi ?? []
  return Effect.promise(() => client.readContract({ address: at[name], abi, functionName, args }))
}

const clientOf = (anvil: Anvil, n: number, multiplier: number) => {
  const reader = createPublicClient({ chain: base, transport: http(anvil.url) })
  return new BatchSettlementEvmScheme(
    toClientEvmSigner(buyer(n) as never, reader as never),
    { depositPolicy: { depositMultiplier: multiplier } },
  )
}

const fetcher = (scheme: BatchSettlementEvmScheme) =>
  wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network: "eip155:*", client: scheme }] })

const report = (name: string, value: unknown) => print(`${name}: ${String(value)}`)

/** A purchase with the unmodified client; one that is not charged is tried again, as by a buyer. */
const buy = (pay: typeof fetch, url: string) =>
  Effect.promise(async () => {
    for (let i = 0;; i++) {
      const response = await pay(url)
      const body = await response.text()
      if (response.status === 200 || i === 30) return { status: response.status, body }
      print(`${response.status} ${body.slice(0, 200)}`)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  })

/** Gas of the facilitator's transactions in the blocks after `from`, by function. */
const gasSince = Effect.fnUntraced(function* (anvil: Anvil, from: number) {
  const to = Number(yield* anvil.call("eth_blockNumber"))
  const used: Array<bigint> = []
  for (let number = from + 1; number <= to; number++) {
    const block = yield* anvil.call("eth_getBlockByNumber", `0x${number.toString(16)}`, true)
    const { transactions } = block as { transactions: ReadonlyArray<Record<string, string>> }
    for (const { hash, to } of transactions) {
      if (to?.toLowerCase() !== at.settlement) continue
      const receipt = yield* anvil.call("eth_getTransactionReceipt", hash)
      used.push(BigInt((receipt as { readonly gasUsed: string }).gasUsed))
    }
  }
  return used
})

const stateOf = (anvil: Anvil, channelId: string) =>
  Effect.map(
    read(anvil, "settlement", "channels", [channelId]),
    (state) => state as readonly [balance: bigint, claimed: bigint],
  )

await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const { anvil, facilitator, service } = yield* world
  const url = `${service.base}${path}`
  const blockBefore = Number(yield* anvil.call("eth_blockNumber"))
  const payTo = address(terms.payTo)
  const scheme = clientOf(anvil, 0, calls + 30)
  const required = yield* Effect.promise(async () => {
    const response = await fetch(url)
    await response.body?.cancel()
    return JSON.parse(atob(response.headers.get("PAYMENT-REQUIRED") ?? ""))
  })
  const offered = required.accepts.find((accepted: { scheme: string }) =>
    accepted.scheme === "batch-settlement"
  )
  const config = scheme.buildChannelConfig(offered)
  const channelId = String(yield* read(anvil, "settlement", "getChannelId", [config]))

  const pay = fetcher(scheme)
  const times: Array<number> = []
  for (let i = 0; i < calls; i++) {
    const before = performance.now()
    const { status, body } = yield* buy(pay, url)
    equal(status, 200, body)
    times.push(performance.now() - before)
  }
  const sorted = times.slice(1).toSorted((a, b) => a - b)
  report("calls on one deposit", calls)
  report("first call, with the deposit, ms", Math.round(times[0] ?? 0))
  report(
    "later calls, median and slowest, ms",
    [sorted[sorted.length >> 1], sorted.at(-1)].map((ms) => Math.round(ms ?? 0)),
  )
  equal((yield* stateOf(anvil, channelId))[1], 0n)

  // Ten parallel calls with one voucher.
  const payment = yield* Effect.promise(() => scheme.createPaymentPayload(2, offered))
  const header = btoa(JSON.stringify({ ...payment, accepted: offered }))
  const twins = yield* Effect.promise(() =>
    Promise.all(Array.from({ length: 10 }, async (_, i) => {
      const response = await fetch(`${service.base}/v1/signals?since=0&count=${i + 1}`, {
        headers: { "PAYMENT-SIGNATURE": header },
      })
      await response.body?.cancel()
      const other = await fetch(url, { headers: { "PAYMENT-SIGNATURE": header } })
      const body = await other.text()
      return { status: other.status, charged: other.headers.has("PAYMENT-RESPONSE"), body }
    }))
  )
  const sold = twins.filter(({ status }) => status === 200)
  report("parallel calls with one voucher: 200, distinct answers", [
    sold.length,
    new Set(sold.map(({ body }) => body)).size,
  ])

  // A client that has lost its storage learns the state from the 402.
  const cold = yield* buy(fetcher(clientOf(anvil, 0, calls + 30)), url)
  equal(cold.status, 200, cold.body)
  const total = BigInt(calls + 2) * price

  // The payer withdraws: the claim lands first.
  const withdrawAt = performance.now()
  const [balance] = yield* stateOf(anvil, channelId)
  const abi = contracts["settlement"]?.abi ?? []
  yield* anvil.call("anvil_impersonateAccount", buyer(0).address)
  const call = (functionName: string, args: ReadonlyArray<unknown>) =>
    sent(anvil, buyer(0).address, at.settlement, encodeFunctionData({ abi, functionName, args }))
  equal((yield* call("initiateWithdraw", [config, balance])).status, "0x1")
  yield* waitFor(async () => (await Effect.runPromise(stateOf(anvil, channelId)))[1] >= total)
  report(
    "claimed after a withdrawal began, s",
    Math.round((performance.now() - withdrawAt) / 1_000),
  )
  report("delay of the withdrawal, s", config.withdrawDelay)
  equal((yield* stateOf(anvil, channelId))[1], total)

  // Another payer gets back what is not charged.
  const second = clientOf(anvil, 1, 50)
  equal((yield* buy(fetcher(second), url)).status, 200)
  const before = yield* read(anvil, "token", "balanceOf", [buyer(1).address])
  const refund = yield* Effect.promise(() => second.refund(url))
  const after = yield* read(anvil, "token", "balanceOf", [buyer(1).address])
  report("cooperative refund, units", [
    refund.amount,
    BigInt(String(after)) - BigInt(String(before)),
  ])

  yield* waitFor(async () =>
    BigInt(String(await Effect.runPromise(read(anvil, "token", "balanceOf", [payTo])))) >= total
  )
  const received = BigInt(String(yield* read(anvil, "token", "balanceOf", [payTo])))
  report("received, units", received)
  ok(received === total || received === total + price, "overclaimed")

  const gas = yield* gasSince(anvil, blockBefore)
  report("transactions of the contract", gas.length)
  report("gas in total, and per call", [
    gas.reduce((a, b) => a + b, 0n),
    gas.reduce((a, b) => a + b, 0n) / BigInt(calls + 3),
  ])
  report("facilitator", JSON.stringify([...facilitator.settled]))

  // The withdrawal ends: the payer has what was not claimed, and no more.
  yield* anvil.call("evm_increaseTime", config.withdrawDelay)
  yield* anvil.call("evm_mine")
  equal((yield* call("finalizeWithdraw", [config])).status, "0x1")
  equal(yield* stateOf(anvil, channelId), [total, total])
  const left = yield* read(anvil, "token", "balanceOf", [buyer(0).address])
  equal(left, 100_000_000n - total)
})))
