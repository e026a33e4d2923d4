/**
 * Runs the x402 harness of red-team-blue-team-agent-fabric against the service. A proxy maps its
 * names of headers, which are those of an early draft, to those of x402, and gives each request an
 * address of its own, so that no test passes because of a rate limit.
 *
 * The harness pays nothing: its proofs are random bytes or JSON. So each test that is about payments
 * is run a second time `with money`: the proxy signs a real payment with what the proof claims
 * (amount, recipient, network, currency, times, nonce), so that only the claim can be refused.
 *
 * @module
 */
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { products } from "../../src/catalog/domain/product.ts"
import { transferTypes } from "../../tests/support/payments/buyers.ts"
import { terms, token } from "../../tests/support/payments/terms.ts"
import type { Environment } from "../attacks/environment.ts"

/** The verdict of the harness on one attack, and what the service answered. */
export interface AttackResult {
  readonly id: string
  readonly name: string
  readonly passed: boolean
  readonly details: string
  readonly test: string
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>
}

const sold = products.latest
const payerKey = `0x${"ba".repeat(32)}` as const
const testHeader = "x-battery-test"
const marker = "BATTERY RESULTS "

/** Tests whose claims a signed payment can make. */
export const withMoney: ReadonlyArray<string> = [
  ...["unsupported_currency", "wrong_recipient_payment", "invalid_addresses"],
  ...["underpayment_attempt", "wrong_network", "wrong_token_type", "payment_amount_rounding"],
  ...["stale_session_replay", "currency_type_confusion", "payment_deadline_bypass"],
  ...["zero_amount_payment", "negative_amount_payment", "max_uint256_overflow"],
  ...["double_spend_detection", "cross_chain_payment_confusion", "concurrent_payment_race"],
  ...["payment_replay_different_endpoint", "replay_same_payment_hash"],
  ...["duplicate_settlement_claim", "expired_auth_token_reuse"],
].map((name) => `test_x402_${name}`)

/** Calls each test of the harness alone, so that the proxy knows which one a request is of. */
const driver = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("x402_harness", sys.argv[1])
harness = importlib.util.module_from_spec(spec)
sys.modules["x402_harness"] = harness
spec.loader.exec_module(harness)
transport = harness.X402Transport(sys.argv[2], paid_path=sys.argv[3])
suite = harness.X402SecurityTests(transport)
only = set(sys.argv[4].split(",")) if sys.argv[4] else None
tests = []
for names in suite.ALL_TESTS.values():
    for name in names:
        if only is None or name in only:
            transport.headers = {"${testHeader}": name}
            getattr(suite, name)()
            tests.append(name)
print("${marker}" + json.dumps([
    {"id": r.test_id, "name": r.name, "passed": r.passed, "details": r.details, "test": t}
    for r, t in zip(suite.results, tests)]))
`

const chains: Readonly<Record<string, number>> = {
  ...{ base: token.chainId, ethereum: 1, polygon: 137, arbitrum: 42_161, optimism: 10 },
  ...{ avalanche: 43_114, "base-sepolia": 84_532 },
}

/** A proof as JSON, or as the payload of a JWT; empty for random bytes. */
function claimsOf(proof: string): Readonly<Record<string, unknown>> {
  for (const text of [proof, proof.split(".")[1] ?? ""]) {
    try {
      return Object(JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/"))))
    } catch {
      // Not this form.
    }
  }
  return {}
}

const sha256 = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex()

/** A payment that says what the proof and the headers claim, signed by an address with money. */
async function signedClaim(headers: Headers): Promise<string> {
  const proof = headers.get("x-payment-authorization") ?? ""
  const claims = claimsOf(proof)
  const text = (name: string) => headers.get(`x-payment-${name}`) ?? null
  const network = text("network") ?? String(claims["network"] ?? "base")
  const chainId = chains[network] ?? token.chainId
  const currency = text("currency") ?? String(claims["currency"] ?? "USDC")
  const asset = currency === "USDC" ? token.asset : `0x${"60".repeat(20)}` as const
  const value = text("amount") ?? sold.price.toString()
  const to = text("recipient") ?? terms.payTo
  const now = Math.floor(Date.now() / 1_000)
  const end = claims["deadline"] ?? claims["exp"] ?? Number(claims["timestamp"] ?? now) + 120
  const nonce = `0x${await sha256(
    String(claims["nonce"] ?? proof + value + to + network),
  )}` as const
  const account = privateKeyToAccount(payerKey)
  const isUint = /^\d{1,77}$/.test(value)
  const authorization = {
    from: account.address,
    to: /^0x[0-9a-f]{40}$/i.test(to) ? to as `0x${string}` : terms.payTo,
    value: isUint ? BigInt(value) : sold.price,
    validAfter: BigInt(Number(end) - 900),
    validBefore: BigInt(Number(end)),
    nonce,
  }
  const signature = await account.signTypedData({
    domain: { name: token.name, version: token.version, chainId, verifyingContract: asset },
    types: transferTypes,
    primaryType: "TransferWithAuthorization",
    message: authorization,
  })
  const shown = { ...authorization, to, value }
  return btoa(JSON.stringify(
    {
      x402Version: 2,
      accepted: {
        ...{ scheme: "exact", network: chains[network] ? `eip155:${chainId}` : network },
        ...{ amount: value, asset, payTo: to, maxTimeoutSeconds: terms.maxTimeoutSeconds },
        extra: { name: token.name, version: token.version },
      },
      payload: { authorization: shown, signature },
    },
    (_, item) => typeof item === "bigint" ? item.toString() : item,
  ))
}

/** The terms of a 402 in the harness's headers. */
function addEarlyHeaders(headers: Headers): void {
  const required = headers.get("payment-required")
  if (required === null) return
  const [offer] = JSON.parse(atob(required)).accepts
  headers.set("x-payment-required", "true")
  headers.set("x-payment-amount", offer.amount)
  headers.set("x-payment-currency", offer.asset === terms.asset ? "USDC" : offer.asset)
  headers.set("x-payment-recipient", offer.payTo)
  headers.set("x-payment-network", offer.network === "eip155:8453" ? "base" : offer.network)
}

/** Maps headers both ways, and counts the answers of each test. */
function makeProxy(port: number, pays: boolean) {
  const statuses = new Map<string, Record<string, number>>()
  let requests = 0
  const handle = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    const test = request.headers.get(testHeader) ?? ""
    const headers = new Headers(request.headers)
    headers.delete("host")
    const n = requests++
    headers.set("x-forwarded-for", `198.18.${n >> 8 & 255}.${n & 255}`)
    if (headers.has("x-payment-authorization")) {
      const proof = headers.get("x-payment-authorization") ?? ""
      headers.set("payment-signature", pays ? await signedClaim(headers) : proof)
      headers.delete("x-payment-authorization")
    }
    const answer = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
      method: request.method,
      headers,
      body: request.method === "POST" ? await request.text() : null,
      redirect: "manual",
    })
    const seen = statuses.get(test) ?? {}
    statuses.set(test, { ...seen, [answer.status]: (seen[answer.status] ?? 0) + 1 })
    const fields = new Headers(answer.headers)
    for (const name of ["content-encoding", "content-length"]) fields.delete(name)
    addEarlyHeaders(fields)
    return new Response(await answer.arrayBuffer(), { status: answer.status, headers: fields })
  }
  return { statuses, handle }
}

/** Runs the harness in `folder`, on all tests or on some. */
export const runFabric = Effect.fn("runFabric")(
  function* (environment: Environment, folder: string, pays: boolean) {
    const payer = privateKeyToAccount(payerKey).address
    yield* Effect.promise(() => environment.control({ fund: { [payer]: "1000000000" } }))
    const { statuses, handle } = makeProxy(environment.ports[0] ?? 0, pays)
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handle)),
      (server) => Effect.promise(() => server.shutdown()),
    )
    const { stdout, stderr } = yield* Effect.promise(() =>
      new Deno.Command("python3", {
        args: [
          ...["-c", driver, `${folder}/protocol_tests/x402_harness.py`],
          ...[`http://127.0.0.1:${server.addr.port}`, sold.path, pays ? withMoney.join(",") : ""],
        ],
      }).output()
    )
    const line = new TextDecoder().decode(stdout).split("\n").find((line) =>
      line.startsWith(marker)
    )
    if (line === undefined) {
      return yield* Effect.die(new TextDecoder().decode(stderr))
    }
    const results: ReadonlyArray<Omit<AttackResult, "statuses">> = JSON.parse(
      line.slice(marker.length),
    )
    return results.map((result): AttackResult => ({
      ...result,
      statuses: statuses.get(result.test) ?? {},
    }))
  },
)
