/**
 * Servers that are measured, each a process of its own; and payments as requests of their clients.
 *
 * @module
 */
import { Effect } from "effect"
import type { Product } from "../../src/catalog/domain/product.ts"
import { Bytes32 } from "../../src/payments/domain/payment.ts"
import { buyer, sign } from "../../tests/support/payments/buyers.ts"
import { authorizationFor, headerOf, wirePayment } from "../../tests/support/payments/terms.ts"

export interface Server {
  readonly port: number
  readonly process: Deno.ChildProcess
}

const startWithinMs = 60_000
const buyers = 50

/** Starts a peer, and waits until it answers `path` without a fault of its own. */
export async function startServer(
  script: string,
  port: number,
  env: Readonly<Record<string, string>>,
  { path = "/v1/latest", permissions = ["-A"] } = {},
): Promise<Server> {
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--lock=tests/deno.lock", "--no-check", ...permissions],
      `bench/peers/${script}`,
    ],
    env: { ...env, PORT: String(port) },
    stdout: "null",
    stderr: "inherit",
  }).spawn()
  const giveUpAt = performance.now() + startWithinMs
  while (performance.now() < giveUpAt) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null)
    await answer?.body?.cancel()
    if (answer !== null && answer.status < 500) return { port, process }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${script} does not answer on ${port}`)
}

export const requestOf = (path: string, ...headers: ReadonlyArray<string>) =>
  [`GET ${path} HTTP/1.1`, "host: 127.0.0.1", ...headers, "", ""].join("\r\n")

/** Requests for a product, each with an authorization of its own. */
export const paidRequests = (
  product: Product,
  count: number,
  ...headers: ReadonlyArray<string>
) =>
  Effect.forEach(Array.from({ length: count }), (_, n) => {
    const account = buyer(n % buyers)
    const nonce = Bytes32.make(`0x${crypto.randomUUID().replaceAll("-", "").padStart(64, "0")}`)
    const now = Math.floor(Date.now() / 1_000)
    const authorization = authorizationFor(account, product, now, { nonce })
    return Effect.map(sign(account, authorization), (signature) => {
      const header = headerOf(wirePayment(product, authorization, signature))
      return requestOf(product.path, `payment-signature: ${header}`, ...headers)
    })
  })
