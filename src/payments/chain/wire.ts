/**
 * The shapes of JSON-RPC that are read: blocks, receipts, logs. A quantity has at most 13 hexadecimal
 * digits, so that it is a safe number wherever it goes.
 *
 * @module
 */
import { Schema } from "effect"

const hexOf = (pattern: string) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^0x${pattern}$`)))
const Quantity = hexOf("[0-9a-fA-F]{1,13}")
const Word = hexOf("[0-9a-fA-F]{64}")
const Bytes = hexOf("(?:[0-9a-fA-F]{2})*")

const Log = Schema.Struct({
  address: hexOf("[0-9a-fA-F]{40}"),
  topics: Schema.Array(Word).check(Schema.isMaxLength(4)),
  data: Bytes,
  blockNumber: Quantity,
  blockHash: Word,
  transactionHash: Word,
  logIndex: Quantity,
  removed: Schema.optionalKey(Schema.Literal(false)),
})
export type Log = typeof Log.Type

const Block = Schema.Struct({ number: Quantity, hash: Word, timestamp: Quantity })

const Receipt = Schema.Struct({
  blockNumber: Quantity,
  blockHash: Word,
  status: Schema.Literals(["0x0", "0x1"]),
  logs: Schema.Array(Log),
})
type Receipt = typeof Receipt.Type

export const decodeBlock = Schema.decodeUnknownEffect(Block)
export const decodeLogs = Schema.decodeUnknownEffect(Schema.Array(Log))
export const decodeReceipt = Schema.decodeUnknownEffect(Schema.NullOr(Receipt))
export const decodeQuantity = Schema.decodeUnknownEffect(Quantity)
export const decodeWord = Schema.decodeUnknownEffect(Word)
export const decodeBytes = Schema.decodeUnknownEffect(Bytes)

/** A block number as the node takes it. */
export function quantity(number: bigint): string {
  return `0x${number.toString(16)}`
}
