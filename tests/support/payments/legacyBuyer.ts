/**
 * The reference client of x402 version 1, in its own process; it may not be installed.
 *
 * @module
 */
import { ask } from "../process.ts"

const legacy = new URL("../../legacy/", import.meta.url)

export const hasLegacyBuyer = await Deno.stat(new URL("node_modules/x402-fetch/", legacy))
  .then(() => true, () => false)

export interface Bought {
  readonly statuses: ReadonlyArray<number>
  readonly body: { readonly success: boolean; readonly charged?: boolean }
  readonly receipt: string | null
}

/** Buys a URL with this key, and returns the result. */
export const buyWithVersion1 = (
  errand: { readonly url: string; readonly key: string },
): Promise<Bought> => ask(legacy, "pay.ts", errand)
