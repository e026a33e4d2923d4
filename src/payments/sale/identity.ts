/**
 * Who sends a payment: the payer, proven by a signature, and the buyer of an answer, proven by the
 * key of the purchase.
 *
 * @module
 */
import { Duration, Effect, Option } from "effect"
import type { Chain } from "../Chain.ts"
import { NotCharged } from "../domain/failedSale.ts"
import type {
  Address,
  Authorization,
  Bytes32,
  Payment,
  PaymentId,
  PaymentTicket,
  TokenDomain,
} from "../domain/payment.ts"
import { makePlaces, makePlacesByKey } from "../../core/places.ts"
import type { Signatures } from "../Signatures.ts"
import { overloaded, unavailable } from "./responses.ts"
import type { Purchase } from "../purchase.ts"

const codeTimeout = Duration.seconds(3)
/**
 * How many checks whether a payer is a contract run at the same time, of all clients and of one. When
 * there are that many, a signature of 65 bytes that is not the payer's own counts as invalid, and a
 * longer one is refused.
 */
const codeLookups = { places: 8, waiting: 0, waitMax: Duration.zero }
const lookupsPerClient = { places: 2, waiting: 8, waitMax: codeTimeout }
/** The end of a signature of a contract that is not deployed yet (ERC-6492). */
const undeployedSuffix = "6492".repeat(16)
/** Length of a key's signature, in characters. */
const keySignatureLength = 132

/** Who signed an authorization. */
export type Signer =
  /** The payer's own key. */
  | "payer"
  /** Perhaps the payer, a contract: only the facilitator can check it. */
  | "contract"
  | "stranger"

/**
 * Finds out who signed a payment; `known` is its row. The signature of a row was accepted when it
 * was claimed, so the chain is read for new payments only. Fails when the chain cannot be read, or
 * too many calls read it.
 */
export function makeSignerCheck(
  signatures: Signatures["Service"],
  chain: Chain["Service"],
  token: TokenDomain,
) {
  const lookups = makePlaces(codeLookups)
  const ofClients = makePlacesByKey(lookupsPerClient)
  const lookUp = (payer: Address) =>
    chain.hasCode(payer).pipe(
      Effect.timeout(codeTimeout),
      Effect.catch((error) =>
        Effect.andThen(Effect.logWarning("Cannot read a payer's code", error), unavailable)
      ),
      Effect.map((hasCode): Signer => hasCode ? "contract" : "stranger"),
    )
  return Effect.fnUntraced(function* (
    { authorization, signature }: PaymentTicket,
    { client }: Purchase["client"],
    known: Payment | undefined,
  ): Effect.fn.Return<Signer, NotCharged> {
    const signer = yield* signatures.signer(token, authorization, signature)
    if (Option.isSome(signer) && signer.value === authorization.from) return "payer"
    if (known !== undefined && known.signature !== null) {
      const isKnown = known.signature === signature && isSame(known.authorization, authorization)
      return isKnown ? "contract" : "stranger"
    }
    if (signature.endsWith(undeployedSuffix)) return "contract"
    return yield* lookUp(authorization.from).pipe(
      lookups.run(noPlace),
      ofClients.run(client)(noPlace),
      Effect.catch((error): Effect.Effect<Signer, NotCharged> =>
        error !== noPlace
          ? Effect.fail(error)
          : signature.length > keySignatureLength
          ? Effect.fail(overloaded)
          : Effect.succeed("stranger")
      ),
    )
  })
}

/** All places for reads of code are taken. */
const noPlace = "no place" as const

const isSame = (a: Authorization, b: Authorization) =>
  a.to === b.to && a.value === b.value && a.validAfter === b.validAfter &&
  a.validBefore === b.validBefore

/** The hash of a secret for one payment; null without a secret. */
export const secretHash = (
  signatures: Signatures["Service"],
  id: PaymentId,
  secret: string | null,
): Bytes32 | null => secret === null ? null : signatures.digest(`secret/v1:${id}:${secret}`)

/**
 * The hash of a purchase key: of the payer, the request and the secret, without the nonce; of an A2A
 * task, that of its secret. Null without a secret.
 */
export const keyHash = (
  signatures: Signatures["Service"],
  { token, authorization, request }: PaymentTicket,
  { secret, isTask = false }: Pick<Purchase, "secret" | "isTask">,
): Bytes32 | null =>
  secret === null ? null : isTask ? taskHash(signatures, token, secret) : signatures.digest(
    `key/v1:${token.chainId}:${authorization.from}:${JSON.stringify([request, secret])}`,
  )

/** The key of an A2A task. The service made its secret, so it needs neither payer nor request. */
export const taskHash = (
  signatures: Signatures["Service"],
  { chainId }: Pick<TokenDomain, "chainId">,
  secret: string,
): Bytes32 => signatures.digest(`task/v1:${chainId}:${secret}`)
