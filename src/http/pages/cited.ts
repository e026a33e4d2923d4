/**
 * Values of JSON bodies with the place that they were read from, so that every number on a page names
 * its own place in the API, and a test can compare the two.
 *
 * @module
 */

/** A value at a place. */
export interface Cited<Value> {
  readonly value: Value
  /** The path of the body, `#`, and the JSON pointer (RFC 6901). */
  readonly from: string
  /** A member of the value; null where the value is null. */
  at<Key extends keyof NonNullable<Value> & (string | number)>(
    key: Key,
  ): Cited<Member<Value, Key>>
}

type Member<Value, Key> = Value extends null | undefined ? null
  : Key extends keyof Value ? Known<Value[Key]>
  : never
type Known<Value> = Value extends undefined ? null : Value

/** A number at a place, or a sum of such numbers less others. */
export interface CitedNumber {
  readonly value: number | null
  /** One place, or the places of all summands, with a space between them. */
  readonly from: string
  /** The places of what is subtracted. */
  readonly less?: string
}

/** The body that a path answers. */
export const cite = <Body>(path: string, body: Body): Cited<Body> => cited(body, `${path}#`)

const cited = <Value>(value: Value, from: string): Cited<Value> => ({
  value,
  from,
  at: (key) => {
    const pointer = String(key).replaceAll("~", "~0").replaceAll("/", "~1")
    return cited(memberOf(value, key), `${from}/${pointer}`)
  },
})

const memberOf = <Value, Key extends PropertyKey>(value: Value, key: Key) =>
  ((value as Record<Key, unknown> | null)?.[key] ?? null) as Member<Value, Key>

/** The elements of an array. */
export const items = <Item>(list: Cited<ReadonlyArray<Item>>): ReadonlyArray<Cited<Item>> =>
  list.value.map((item, index) => cited(item, `${list.from}/${index}`))

/** The sum of `from`, less the sum of `less`. */
export const total = (
  from: ReadonlyArray<Cited<number>>,
  less: ReadonlyArray<Cited<number>> = [],
): CitedNumber => ({
  value: sum(from) - sum(less),
  from: places(from),
  ...(less.length === 0 ? {} : { less: places(less) }),
})

const sum = (numbers: ReadonlyArray<Cited<number>>) =>
  numbers.reduce((all, { value }) => all + value, 0)
const places = (numbers: ReadonlyArray<Cited<number>>) => numbers.map(({ from }) => from).join(" ")

/** `a` less `b`; not known where one of them is not. */
export const difference = (a: Cited<number | null>, b: Cited<number | null>): CitedNumber =>
  a.value === null || b.value === null
    ? { value: null, from: a.value === null ? a.from : b.from }
    : { value: a.value - b.value, from: a.from, less: b.from }
