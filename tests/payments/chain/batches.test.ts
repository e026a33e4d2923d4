/**
 * Payments that are read at the same moment share their calls, and each gets the proof that it would
 * get alone: also when an endpoint refuses batches, or answers one in part, or when one payer uses
 * another's nonce.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect } from "effect"
import type { ExpectedTransfer } from "../../../src/payments/Chain.ts"
import { topicOf, topics } from "../../../src/payments/chain/token.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { buyer } from "../../support/payments/buyers.ts"
import {
  type BatchResponder,
  chainWith,
  honestResponses,
  type Log,
  nowSeconds,
  result,
  type RpcRequest,
  use,
} from "../../support/payments/rpc.ts"
import { authorizationFor, nonce, token } from "../../support/payments/terms.ts"
import { liveTest } from "../../support/effect.ts"

const word = (n: number) => `0x${n.toString(16).padStart(64, "0")}` as const
const hex = (n: number) => `0x${n.toString(16)}`

/** A payment of payer `n % 3` that expired up to 40 minutes ago. */
const paymentOf = (n: number): ExpectedTransfer => ({
  ...token,
  ...authorizationFor(buyer(n % 3), products.latest, nowSeconds - 300 - (n % 7) * 400, {
    nonce: nonce(n),
  }),
  transactionHint: null,
})

/** Every fifth payment was made, every seventh cancelled, the others were never used. */
const outcomeOf = (n: number) => n % 5 === 0 ? "paid" : n % 7 === 0 ? "spent_elsewhere" : "expired"

/** The block of a payment, shortly before it expired. */
const blockOf = (n: number) => 4_930 - (n % 7) * 200 - n % 20

function logsOf(n: number): ReadonlyArray<Log> {
  const { from, to, value } = paymentOf(n)
  const shared = {
    ...use,
    blockNumber: hex(blockOf(n)),
    blockHash: word(blockOf(n)),
    transactionHash: word(1_000_000 + n),
  }
  const at = 2 * n
  const used = (topic: string): Log => ({
    ...shared,
    topics: [topic, topicOf(from), nonce(n)],
    data: "0x",
    logIndex: hex(at),
  })
  switch (outcomeOf(n)) {
    case "paid": {
      const transfer = {
        ...shared,
        topics: [topics.transfer, topicOf(from), topicOf(to)],
        data: word(Number(value)),
        logIndex: hex(at + 1),
      }
      return [used(topics.used), transfer]
    }
    case "spent_elsewhere":
      return [used(topics.canceled)]
    default:
      return []
  }
}

/** An endpoint with `count` payments that counts its calls. */
function endpointOf(count: number) {
  const all = Array.from({ length: count }, (_, n) => n)
  // The first unused nonce of one payer is used by another one.
  const foreign = { ...use, topics: [topics.used, topicOf(paymentOf(0).from), nonce(1)] }
  const logs = [...all.flatMap(logsOf), { ...foreign, blockNumber: hex(4_900) }]
    .toSorted((a, b) =>
      Number(a["blockNumber"]) - Number(b["blockNumber"]) ||
      Number(a["logIndex"]) - Number(b["logIndex"])
    )
  const spent = new Set(
    all.filter((n) => outcomeOf(n) !== "expired").map((n) => `${paymentOf(n).from} ${nonce(n)}`),
  )
  const calls = new Map<string, number>()
  const stateOf = (data: string) =>
    word(spent.has(`0x${data.slice(34, 74)} 0x${data.slice(74)}`) ? 1 : 0)
  const respond = (request: RpcRequest): Response => {
    const { method, params: [first] } = request
    calls.set(method, (calls.get(method) ?? 0) + 1)
    if (method === "eth_getLogs") {
      const { blockHash } = first as { blockHash?: string }
      const found = honestResponses("paid", logs)(request) as ReadonlyArray<Log>
      return result(
        request,
        blockHash === undefined ? found : found.filter((log) => log["blockHash"] === blockHash),
      )
    }
    if (method !== "eth_call") return result(request, honestResponses("paid", [])(request))
    return result(request, stateOf((first as { data: string }).data))
  }
  return { respond, callsOf: (method: string) => calls.get(method) ?? 0 }
}

const outcomesAt = (
  respond: (request: RpcRequest) => Response,
  count: number,
  concurrency: "unbounded" | 1,
  respondToBatch?: BatchResponder,
) =>
  Effect.gen(function* () {
    const { paymentProof } = yield* chainWith({}, [respond], respondToBatch)
    const proofs = yield* Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      (n) => paymentProof(paymentOf(n)),
      { concurrency },
    )
    return proofs.map((proof) => proof.proof === "never" ? proof.reason : proof.proof)
  })

const expected = (count: number) => Array.from({ length: count }, (_, n) => outcomeOf(n))

const unused = (count: number) =>
  Array.from({ length: 2_000 }, (_, n) => n)
    .filter((n) => outcomeOf(n) === "expired").slice(0, count)

liveTest(
  "200 payments that were never made, a round of the sweep, are void after few requests",
  function* () {
    const { respond, callsOf } = endpointOf(0)
    let batches = 0
    const { paymentProof } = yield* chainWith({}, [respond], (responses) => {
      batches++
      return Response.json(responses)
    })
    const proofs = yield* Effect.forEach(unused(200), (n) => paymentProof(paymentOf(n)), {
      concurrency: "unbounded",
    })
    equal(new Set(proofs.map(({ proof }) => proof)), new Set(["never"]))
    equal(callsOf("eth_call"), 200)
    equal(callsOf("eth_getLogs"), 0)
    ok(batches <= 12, `${batches} batches`)
  },
)

const noBatch = { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "no batch" } }

/** Endpoints that accept no batch, by what they make of one. */
const refusingEndpoints: ReadonlyArray<readonly [string, BatchResponder]> = [
  ["never", () => new Promise(() => {})],
  ["with one refusal", () => Response.json(noBatch)],
  ["with one refusal in a list", () => Response.json([noBatch])],
  ["with an empty list", () => Response.json([])],
  ["with a status", () => new Response("Payload Too Large", { status: 413 })],
  ["with HTML", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
]

/** Endpoints that accept batches, by how they answer one. */
const batchEndpoints: ReadonlyArray<readonly [string, BatchResponder]> = [
  ["in another order", (responses) => Response.json(responses.toReversed())],
  ["in part", (responses) => Response.json(responses.filter((_, n) => n % 3 > 0))],
  [
    "with refusals",
    (responses) =>
      Response.json(
        responses.map((response, n) =>
          n % 2 > 0
            ? response
            : { ...Object(response), result: undefined, error: { code: -32_005, message: "" } }
        ),
      ),
  ],
  [
    "with words of other forms",
    (responses) =>
      Response.json(responses.map((response) => ({ ...Object(response), result: "0x" }))),
  ],
]

for (const [how, respondToBatch] of batchEndpoints) {
  liveTest(`an endpoint that answers a batch ${how} gives the same proofs`, function* () {
    const count = 120
    const { respond } = endpointOf(count)
    equal(yield* outcomesAt(respond, count, "unbounded", respondToBatch), expected(count))
  })
}

for (const [how, respondToBatch] of refusingEndpoints) {
  liveTest(
    `an endpoint that answers a batch ${how} gets none for a minute, and gives the same proofs`,
    function* () {
      const { respond } = endpointOf(0)
      let batches = 0
      let batchesOfFirst = 0
      const options = { callTimeout: Duration.seconds(1) }
      const { paymentProof } = yield* chainWith(options, [respond], (responses) => {
        batches++
        return respondToBatch(responses)
      })
      for (let round = 0; round < 3; round++) {
        const proofs = yield* Effect.forEach(unused(20), (n) => paymentProof(paymentOf(n)), {
          concurrency: "unbounded",
        })
        equal([...new Set(proofs.map(({ proof }) => proof))], ["never"])
        if (round === 0) batchesOfFirst = batches
      }
      ok(batches > 0 && batches === batchesOfFirst, `${batchesOfFirst} batches, then ${batches}`)
    },
  )
}

liveTest("payments that are read together have the proofs that each has alone", function* () {
  const count = 120
  for (const concurrency of ["unbounded", 1] as const) {
    const { respond } = endpointOf(count)
    equal(yield* outcomesAt(respond, count, concurrency), expected(count), String(concurrency))
  }
})
