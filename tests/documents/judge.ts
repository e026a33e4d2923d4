/**
 * Asks the validator behind x402scan about challenges: PAYMENT-REQUIRED headers on standard input,
 * verdicts on standard output.
 *
 * It runs as a process of its own, because that package is next to it in `node_modules`, outside
 * of the project's dependencies: `npm ci --prefix tests/documents` puts it there.
 *
 * @module
 */
interface Validator {
  readonly validatePaymentRequiredDetailed: (
    payload: unknown,
    options: { readonly requireInputSchema: true; readonly requireOutputSchema: true },
  ) => {
    readonly valid: boolean
    readonly normalized?: { readonly accepts: ReadonlyArray<{ readonly amount?: string }> }
    readonly issues: unknown
  }
}

const name = "@agentcash/discovery"
const { validatePaymentRequiredDetailed }: Validator = await import(name)
const headers: ReadonlyArray<string> = await new Response(Deno.stdin.readable).json()
const verdicts = headers.map((header) => {
  const { valid, normalized, issues } = validatePaymentRequiredDetailed(JSON.parse(atob(header)), {
    requireInputSchema: true,
    requireOutputSchema: true,
  })
  return { valid, amounts: normalized?.accepts.map(({ amount }) => amount), issues }
})
await new Blob([JSON.stringify(verdicts)]).stream().pipeTo(Deno.stdout.writable)
