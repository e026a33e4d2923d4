/**
 * What a catalogue of a facilitator needs of a settlement. One without it would be settled and never
 * listed, and nothing would show that: these facilitators settle no sale without it.
 *
 * @module
 */
import { extractDiscoveryInfo } from "@x402/extensions/bazaar"
import { terms } from "./terms.ts"

type Arguments = Parameters<typeof extractDiscoveryInfo>

/** Whether a settlement is a refund, or names its product as the reference catalogue reads it. */
export const isListable = (payload: unknown, requirements: { readonly payTo: string }) =>
  requirements.payTo.toLowerCase() !== terms.payTo.toLowerCase() ||
  extractDiscoveryInfo(payload as Arguments[0], requirements as Arguments[1]) !== null
