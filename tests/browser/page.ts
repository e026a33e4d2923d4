/**
 * A page that calls the service from another origin, and buys with the unmodified buyers of both
 * versions of x402: all that it reports is what the browser lets a script see.
 *
 * @module
 */
import { ExactEvmScheme } from "@x402/evm"
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { privateKeyToAccount } from "viem/accounts"

/** One call of a page. */
export interface Call {
  readonly url: string
  readonly method?: "GET" | "HEAD" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** What it asks for is paid for with this key, in this version of x402. */
  readonly pay?: { readonly key: `0x${string}`; readonly version: 1 | 2 }
}

/** An answer as a script sees it. */
export interface Sight {
  /** Why the browser showed no answer; null when it did. */
  readonly blocked: string | null
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The headers of the last request, as the script gave them. */
  readonly sent: Readonly<Record<string, string>>
}

/** The stock buyer of version 1, where it is bundled: its package is not among the project's own. */
declare const version1: {
  createSigner(network: string, key: string): Promise<unknown>
  wrapFetchWithPayment(
    fetch: typeof globalThis.fetch,
    signer: unknown,
    maxValue: bigint,
  ): typeof globalThis.fetch
}

/** Makes one call. */
export async function call({ url, method = "GET", headers = {}, body, pay }: Call): Promise<Sight> {
  let sent: Readonly<Record<string, string>> = {}
  const watched: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    sent = Object.fromEntries(request.headers)
    return fetch(request)
  }
  try {
    const buying = pay === undefined ? watched : await paying(watched, pay)
    const response = await buying(url, { method, headers, ...(body === undefined ? {} : { body }) })
    return {
      blocked: null,
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
      sent,
    }
  } catch (error) {
    return { blocked: String(error), status: 0, headers: {}, body: "", sent }
  }
}

/** As much as the dearest answer costs. */
const valueMax = 1_000_000n

async function paying(
  bare: typeof fetch,
  { key, version }: Required<Call>["pay"],
): Promise<typeof fetch> {
  if (version === 1) {
    const signer = await version1.createSigner("base", key)
    return version1.wrapFetchWithPayment(bare, signer, valueMax)
  }
  const client = new ExactEvmScheme(privateKeyToAccount(key))
  return wrapFetchWithPaymentFromConfig(bare, { schemes: [{ network: "eip155:*", client }] })
}
