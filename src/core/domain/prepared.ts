/**
 * Values that are made once and used until what they are made of changes.
 *
 * @module
 */

/**
 * Calls `make` at the first call, and when an input is another one than at the last call. In between
 * it returns the same value. Without inputs the value is made once.
 */
export function prepared<Inputs extends ReadonlyArray<unknown>, A>(
  make: (...inputs: Inputs) => A,
): (...inputs: Inputs) => A {
  let last: { readonly inputs: Inputs; readonly value: A } | null = null
  return (...inputs) => {
    const isSame = last !== null && last.inputs.length === inputs.length &&
      inputs.every((input, at) => input === last?.inputs[at])
    return (last = isSame && last !== null ? last : { inputs, value: make(...inputs) }).value
  }
}

/** Calls `make` once for each object, and keeps the value for as long as the object lives. */
export function preparedFor<Of extends object, A>(make: (of: Of) => A): (of: Of) => A {
  const made = new WeakMap<Of, { readonly value: A }>()
  return (of) => {
    const known = made.get(of)
    if (known !== undefined) return known.value
    const value = make(of)
    made.set(of, { value })
    return value
  }
}
