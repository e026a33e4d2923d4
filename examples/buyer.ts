/**
 * A demo buyer: pays for one path with a throw-away key through the published x402 reference
 * client, and prints the requests and responses. `deno task buy /v1/latest [base address]`.
 *
 * The key has no money, so it works only where payments are simulated.
 *
 * @module
 */
import { ExactEvmScheme } from "@x402/evm"
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Cause, Console, Effect, Exit, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"

const baseDefault = "http://127.0.0.1:8402"
const timeoutMs = 30_000
/** The longest body that is printed in full. */
const printedLengthMax = 4_000

class CannotBuy extends Schema.TaggedError<CannotBuy>()("CannotBuy", {
  message: Schema.String,
}) {}

interface Exchange {
  readonly request: Request
  readonly response: Response
}

const program = Effect.gen(function* () {
  const path = Deno.args[0] ?? "/v1/latest"
  const base = Deno.args[1] ?? Deno.env.get("BASE_URL") ?? baseDefault
  const url = yield* Effect.try({
    try: () => new URL(path, base),
    catch: () => new CannotBuy({ message: `Not an address: ${base}${path}` }),
  })
  const account = privateKeyToAccount(generatePrivateKey())
  yield* Console.log(`GET ${url.href}\nbuyer ${account.address} (a throw-away key)`)

  const exchanges: Array<Exchange> = []
  const pay = wrapFetchWithPaymentFromConfig(recordingFetch(exchanges), {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
  })
  const response = yield* Effect.tryPromise({
    try: () => pay(url.href, { signal: AbortSignal.timeout(timeoutMs) }),
    catch: (error) => cannotReach(url, error),
  })
  const body = yield* Effect.promise(() => response.text())

  for (const exchange of exchanges) yield* printExchange(exchange)
  yield* Console.log(`\nbody (${response.status})\n${pretty(body)}`)
  if (!response.ok) {
    return yield* new CannotBuy({ message: `Nothing was bought: status ${response.status}` })
  }
})

/** The platform's fetch, which also records requests and responses. */
function recordingFetch(exchanges: Array<Exchange>): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const response = await fetch(request.clone())
    exchanges.push({ request, response })
    return response
  }
}

const printExchange = Effect.fnUntraced(function* ({ request, response }: Exchange) {
  const payment = request.headers.get("PAYMENT-SIGNATURE")
  const challenge = response.headers.get("PAYMENT-REQUIRED")
  const receipt = response.headers.get("PAYMENT-RESPONSE")
  if (payment !== null) yield* Console.log(`\npayment sent\n${withoutSignature(payment)}`)
  yield* Console.log(`\n<- ${response.status} ${response.statusText}`)
  if (challenge !== null) yield* Console.log(`challenge\n${decoded(challenge)}`)
  if (receipt !== null) yield* Console.log(`receipt\n${decoded(receipt)}`)
})

/** A decoded header; of its extensions, which are long, only the names. */
function decoded(header: string): string {
  const text = Base64.decodeString(header)
  if (Result.isFailure(text)) return "(not base64)"
  const namesOnly = (key: string, value: unknown) =>
    key === "extensions" && value instanceof Object ? Object.keys(value) : value
  return pretty(text.success, namesOnly)
}

/** A signature can move the money, so only its ends are printed. */
function withoutSignature(header: string): string {
  return decoded(header).replace(
    /("signature": "0x[0-9a-f]{8})[0-9a-f]+([0-9a-f]{4}")/i,
    "$1...$2",
  )
}

function pretty(text: string, replacer?: (key: string, value: unknown) => unknown): string {
  const json = Result.getOrElse(
    Result.try(() => JSON.stringify(JSON.parse(text), replacer, 2)),
    () => text,
  )
  return json.length > printedLengthMax ? `${json.slice(0, printedLengthMax)}\n...` : json
}

function cannotReach(url: URL, error: unknown): CannotBuy {
  const reason = error instanceof Error ? error.message : String(error)
  return new CannotBuy({
    message: error instanceof TypeError
      ? `No service answers at ${url.origin}. Start it first: deno task dev`
      : `The request failed: ${reason}`,
  })
}

const exit = await Effect.runPromiseExit(program)
if (Exit.isFailure(exit)) {
  const error = Cause.squash(exit.cause)
  await Effect.runPromise(
    Console.error(error instanceof CannotBuy ? error.message : Cause.pretty(exit.cause)),
  )
  Deno.exit(1)
}
