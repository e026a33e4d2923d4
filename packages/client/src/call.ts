/**
 * What the client knows of a call before it makes it.
 *
 * @module
 */

/** One parameter of a call, as JSON Schema with its name. */
export interface Parameter {
  readonly name: string
  readonly type: string | ReadonlyArray<string>
  readonly description: string
  readonly required: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
  readonly enum?: ReadonlyArray<unknown>
  readonly pattern?: string
  /** What the pattern accepts, in words. */
  readonly form?: string
  /** Sent as 1 or not at all. */
  readonly flag?: true
}

export interface CallRow {
  readonly path: string
  /** Null when it is free. */
  readonly priceUsd: string | null
  readonly title: string
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
}
