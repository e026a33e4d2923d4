/**
 * Decodes a payment of the scheme `batch-settlement`, and checks that it pays for a product on our
 * terms. The channel's id and the voucher's signature are checked by `Channels.ts`.
 *
 * @module
 */
import { Option, Result, Schema } from "effect"
import type { Product } from "../../../catalog/domain/product.ts"
import { type Address, address, Bytes32, type Signature } from "../../domain/payment.ts"
import {
  isForProduct,
  jsonOf,
  normalSignature,
  optional,
  paymentHeaderLengthMax,
  PaymentIdentifier,
  type PaymentRejected,
  rejected,
} from "../../domain/x402/paymentPayload.ts"
import { channelScheme, type ChannelTerms, type PaymentTerms } from "../../domain/x402/terms.ts"
import type { ChannelConfig } from "./channel.ts"

/** Amounts are stored as 64-bit integers: at most 9.2 billion USD in one channel. */
const unitsMax = 2n ** 63n - 1n

const Digits = Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,18})$/))
const hexOf = (digits: number) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`)))
const KeySignature = hexOf(130)
const Text = Schema.String.check(Schema.isMaxLength(2_048))

const Voucher = Schema.Struct({
  channelId: hexOf(64),
  maxClaimableAmount: Digits,
  signature: KeySignature,
})
const Config = Schema.Struct({
  payer: hexOf(40),
  payerAuthorizer: hexOf(40),
  receiver: hexOf(40),
  receiverAuthorizer: hexOf(40),
  token: hexOf(40),
  withdrawDelay: Schema.Int,
  salt: hexOf(64),
})
const WirePayload = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("deposit"),
    channelConfig: Config,
    voucher: Voucher,
    deposit: Schema.Struct({
      amount: Digits,
      authorization: Schema.Struct({
        erc3009Authorization: Schema.Struct({
          validAfter: Digits,
          validBefore: Digits,
          salt: hexOf(64),
          signature: KeySignature,
        }),
      }),
    }),
  }),
  Schema.Struct({ type: Schema.Literal("voucher"), channelConfig: Config, voucher: Voucher }),
  Schema.Struct({
    type: Schema.Literal("refund"),
    channelConfig: Config,
    voucher: Voucher,
    amount: Schema.optionalKey(Digits),
  }),
])
const WirePayment = Schema.Struct({
  x402Version: Schema.Literal(2),
  accepted: Schema.Struct({
    scheme: Schema.Literal(channelScheme),
    network: Text,
    amount: Digits,
    asset: hexOf(40),
    payTo: hexOf(40),
  }),
  payload: WirePayload,
  resource: optional(Schema.Struct({ url: optional(Text) })),
  extensions: optional(Schema.Struct({
    "payment-identifier": optional(Schema.Struct({
      info: Schema.Struct({ id: optional(PaymentIdentifier) }),
    })),
  })),
})
type WirePayment = typeof WirePayment.Type

/** A deposit's authorization, as it is passed on to the facilitator. */
export interface DepositAuthorization {
  readonly validAfter: string
  readonly validBefore: string
  readonly salt: string
  readonly signature: Signature
}

/** A decoded payment. Hex is in lower case, and the voucher's signature in normal form. */
export interface ChannelPayment {
  readonly channelId: Bytes32
  readonly config: ChannelConfig
  readonly ceiling: bigint
  readonly signature: Signature
  readonly action:
    | { readonly type: "voucher" }
    | {
      readonly type: "deposit"
      readonly amount: bigint
      readonly authorization: DepositAuthorization
    }
    /** `amount` null: everything that is not charged. */
    | { readonly type: "refund"; readonly amount: bigint | null }
  /** The buyer's `payment-identifier`; null when there is none. */
  readonly identifier: string | null
}

const SchemeOnly = Schema.Struct({
  accepted: Schema.Struct({ scheme: Schema.Literal(channelScheme) }),
})
const isChannelPayment = Schema.is(SchemeOnly)
const decodeWire = Schema.decodeUnknownResult(WirePayment)
const decodeBytes32 = Schema.decodeUnknownSync(Bytes32)

/**
 * The payment of a header that names the scheme `batch-settlement`, if it pays for this product;
 * none when the header names another scheme or cannot be read.
 */
export function channelPayment(
  header: string,
  product: Product,
  terms: PaymentTerms,
  channels: ChannelTerms,
): Option.Option<Result.Result<ChannelPayment, PaymentRejected>> {
  if (header.length > paymentHeaderLengthMax) return Option.none()
  const json = jsonOf(header)
  if (Result.isFailure(json) || !isChannelPayment(json.success)) return Option.none()
  return Option.some(
    Result.flatMap(
      Result.match(decodeWire(json.success), {
        onFailure: () =>
          rejected("malformed", "The payment is not an x402 batch-settlement payload"),
        onSuccess: (wire) => Result.succeed(wire),
      }),
      (wire) => matched(wire, product, terms, channels),
    ),
  )
}

function matched(
  wire: WirePayment,
  product: Product,
  terms: PaymentTerms,
  channels: ChannelTerms,
): Result.Result<ChannelPayment, PaymentRejected> {
  const { accepted, payload, resource } = wire
  const config = configOf(payload.channelConfig)
  const url = resource?.url ?? null
  const own: ReadonlyArray<Address> = [address(terms.payTo), address(terms.treasury)]
  const checks = [
    [accepted.network === `eip155:${terms.chainId}`, `Pay on eip155:${terms.chainId}`],
    [accepted.amount === product.price.toString(), `The amount must be ${product.price} units`],
    [address(accepted.asset) === address(terms.asset), `The asset must be ${terms.asset}`],
    [address(accepted.payTo) === address(terms.payTo), `Pay to ${terms.payTo}`],
    [config.token === address(terms.asset), `The channel's token must be ${terms.asset}`],
    [config.receiver === address(terms.payTo), `The channel's receiver must be ${terms.payTo}`],
    [
      config.receiverAuthorizer === address(channels.receiverAuthorizer),
      `The channel's receiverAuthorizer must be ${channels.receiverAuthorizer}`,
    ],
    [
      config.withdrawDelay === channels.withdrawDelay,
      `The channel's withdrawDelay must be ${channels.withdrawDelay} seconds`,
    ],
    [
      BigInt(config.payerAuthorizer) !== 0n,
      "The channel's payerAuthorizer must be a key: vouchers of contract wallets are not accepted",
    ],
    [!own.includes(config.payer), "The payer is one of our own addresses"],
    [isForProduct(product, url), `The payment is for another resource than ${product.path}`],
  ] as const
  const fault = checks.find(([passes]) => !passes)
  if (fault !== undefined) return rejected("invalid_terms", fault[1])
  return Result.flatMap(
    Result.all({
      signature: normalSignature(payload.voucher.signature),
      action: actionOf(payload),
      ceiling: unitsOf(payload.voucher.maxClaimableAmount),
    }),
    (decoded) =>
      Result.succeed({
        ...decoded,
        channelId: decodeBytes32(payload.voucher.channelId.toLowerCase()),
        config,
        identifier: wire.extensions?.["payment-identifier"]?.info.id ?? null,
      }),
  )
}

function actionOf(
  payload: WirePayment["payload"],
): Result.Result<ChannelPayment["action"], PaymentRejected> {
  switch (payload.type) {
    case "voucher":
      return Result.succeed({ type: "voucher" })
    case "refund":
      return payload.amount === undefined
        ? Result.succeed({ type: "refund", amount: null })
        : Result.map(unitsOf(payload.amount), (amount) => ({ type: "refund", amount }))
    case "deposit": {
      const { validAfter, validBefore, salt, signature } =
        payload.deposit.authorization.erc3009Authorization
      return Result.map(
        Result.all({
          amount: unitsOf(payload.deposit.amount),
          signature: normalSignature(signature),
        }),
        ({ amount, signature }) => ({
          type: "deposit",
          amount,
          authorization: { validAfter, validBefore, salt: salt.toLowerCase(), signature },
        }),
      )
    }
  }
}

function unitsOf(digits: string): Result.Result<bigint, PaymentRejected> {
  const units = BigInt(digits)
  return units <= unitsMax
    ? Result.succeed(units)
    : rejected("invalid_amount", `An amount must be at most ${unitsMax} units`)
}

function configOf(config: typeof Config.Type): ChannelConfig {
  return {
    payer: address(config.payer),
    payerAuthorizer: address(config.payerAuthorizer),
    receiver: address(config.receiver),
    receiverAuthorizer: address(config.receiverAuthorizer),
    token: address(config.token),
    withdrawDelay: config.withdrawDelay,
    salt: decodeBytes32(config.salt.toLowerCase()),
  }
}
