/**
 * Who sent a call: the keys under which limits count it.
 *
 * @module
 */
import { Context } from "effect"

export interface Client {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly client: string
  /** The /48 of an IPv6 address; null for IPv4. */
  readonly site: string | null
}

/**
 * The client of the paid call that a fiber works for, where work that costs an outside request is
 * shared out; null outside a paid call.
 */
export const CallClient = Context.Reference<Client | null>("bellwether/core/CallClient", {
  defaultValue: () => null,
})
