/**
 * Who sent the call that a fiber works for, where work that costs an outside request is shared out.
 *
 * @module
 */
import { Context } from "effect"

/** An address, and its IPv6 site (/48), if it has one; null outside a paid call. */
export const CallClient = Context.Reference<
  { readonly client: string; readonly site: string | null } | null
>("bellwether/core/CallClient", { defaultValue: () => null })
