/**
 * The sums of a wallet as bytes: its numbers in the order of the fields of `noSums`.
 *
 * A wallet has hundreds of sums, and a resolution reads and rewrites those of thousands of wallets. As
 * JSON they are more than twice as long, and formatting numbers would take most of the time.
 *
 * @module
 */
import { noSums, noTotals, type WalletSums, type WalletTotals } from "../domain/score.ts"

/** Reads and writes a value as `length` numbers from an index on. */
interface Codec<A> {
  readonly length: number
  readonly read: (numbers: Float64Array, at: number) => A
  readonly write: (value: A, numbers: Float64Array, at: number) => void
}

const { totals: _, ...noOthers } = noSums
const totalsCodec = codecOf(noTotals)
const othersCodec = codecOf(noOthers)
const length = totalsCodec.length + othersCodec.length

/** The totals come first, so that they can be read alone. */
export const totalsBytes = totalsCodec.length * Float64Array.BYTES_PER_ELEMENT

export function packedSums({ totals, ...others }: WalletSums): Uint8Array {
  const numbers = new Float64Array(length)
  totalsCodec.write(totals, numbers, 0)
  othersCodec.write(others, numbers, totalsCodec.length)
  return new Uint8Array(numbers.buffer)
}

export function sumsOf(bytes: Uint8Array): WalletSums {
  const numbers = numbersOf(bytes)
  return { totals: totalsCodec.read(numbers, 0), ...othersCodec.read(numbers, totalsCodec.length) }
}

export function totalsOf(bytes: Uint8Array): WalletTotals {
  return totalsCodec.read(numbersOf(bytes), 0)
}

/** Copies the bytes, because their offset in the driver's buffer may be unaligned. */
const numbersOf = (bytes: Uint8Array) => new Float64Array(bytes.slice().buffer)

/** The codec of values with the fields of `shape`. */
function codecOf<A>(shape: A): Codec<A>
function codecOf(shape: unknown): Codec<unknown> {
  if (typeof shape === "number") {
    return {
      length: 1,
      read: (numbers, at) => numbers[at],
      write: (value, numbers, at) => numbers[at] = Number(value),
    }
  }
  if (Array.isArray(shape) && typeof shape[0] === "number") {
    return {
      length: shape.length,
      read: (numbers, at) => numberList(numbers, at, shape.length),
      write: (value, numbers, at) => numbers.set(value as ReadonlyArray<number>, at),
    }
  }
  return fieldsCodec(Object(shape), Array.isArray(shape))
}

/** A loop, because `Array.from` takes thirty times as long. */
function numberList(numbers: Float64Array, from: number, length: number): ReadonlyArray<number> {
  const list = new Array<number>(length)
  for (let i = 0; i < length; i++) list[i] = numbers[from + i] ?? NaN
  return list
}

function fieldsCodec(shape: Record<string, unknown>, list: boolean): Codec<unknown> {
  let length = 0
  const fields = Object.entries(shape).map(([key, inner]) => {
    const codec = codecOf(inner)
    length += codec.length
    return { key, codec, from: length - codec.length }
  })
  return {
    length,
    read: (numbers, at) => {
      const value: Record<string, unknown> = list ? Object([]) : {}
      for (const { key, codec, from } of fields) value[key] = codec.read(numbers, at + from)
      return value
    },
    write: (value, numbers, at) => {
      const values = Object(value)
      for (const { key, codec, from } of fields) codec.write(values[key], numbers, at + from)
    },
  }
}
