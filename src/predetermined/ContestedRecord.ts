/**
 * The port to the record of published contested proposals: how many of them were upheld.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ProposalRecord } from "../feed/domain/item.ts"

export class ContestedRecord extends Context.Service<ContestedRecord, {
  /** As of now; null before the first one was judged. */
  readonly read: Effect.Effect<ProposalRecord | null>
}>()("bellwether/predetermined/ContestedRecord") {}
