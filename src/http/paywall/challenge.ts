/**
 * The 402 as it is sent: header and body, in the version the buyer speaks.
 *
 * @module
 */
import { challenge, challengeV1 } from "../../payments/domain/x402/challenge.ts"
import type { Product } from "../../catalog/domain/product.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"

/** A 402 that is ready to be sent: the same bytes for everybody who shows no payment. */
export interface ReadyChallenge {
  readonly status: 402
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

interface ChallengeOptions {
  /** Why the payment that was shown is not taken. */
  readonly error?: string
  /** The body of x402 version 1, for its stock buyer, which reads nothing else. */
  readonly version1?: boolean
}

const utf8 = new TextEncoder()

/** The 402 of a product. Without an `error` it is what a request without a payment gets. */
export function challengeFor(
  product: Product,
  terms: PaymentTerms,
  { error, version1 = false }: ChallengeOptions = {},
): ReadyChallenge {
  const { header, body } = challenge(product, terms, error)
  const shown = (version1 ? challengeV1(product, terms, error) : null) ?? body
  return {
    status: 402,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "payment-required": header,
    },
    body: utf8.encode(JSON.stringify(shown)),
  }
}

const version1Query = /[?&]x402Version=1(?:&|$)/

/** Whether a request asks for x402 version 1: by `X-402-Version: 1` or `?x402Version=1`. */
export function asksVersion1(header: string | null | undefined, url: string): boolean {
  return header === "1" || version1Query.test(url)
}
