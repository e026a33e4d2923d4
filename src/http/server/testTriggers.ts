/**
 * The header that names a test trigger: refused with real payments, before any payment is read.
 *
 * @module
 */
import { testHeader } from "../../core/testCall.ts"
import { prepare, type PreparedRefusal } from "./errors.ts"

const withoutHeader = "Send the same request without the header: a payment in it was not read."

const refusal = (message: string, expected: string): PreparedRefusal =>
  prepare({
    code: "invalid_parameter",
    message,
    hint: withoutHeader,
    details: [{ param: testHeader, in: "header", message: expected }],
  })

const notSimulated = refusal(
  `${testHeader} works only where payments are simulated, and here they are real`,
  "must be absent: payments are real",
)

/** Why the header of a request is refused; null when it is absent or names a trigger. */
export function testHeaderFault(
  headers: Headers,
  names: ReadonlyArray<string> | undefined,
): PreparedRefusal | null {
  const name = headers.get(testHeader)
  if (name === null || names?.includes(name) === true) return null
  if (names === undefined) return notSimulated
  return refusal(`${testHeader} names no test trigger`, `must be one of ${names.join(", ")}`)
}
