/**
 * The body of /v1/sample. `samples.json` has the example answer of each row by its id: invented values,
 * written once by the code that makes the real ones. A test checks each by the schema of its row.
 *
 * @module
 */
import { Record } from "effect"
import samples from "./samples.json" with { type: "json" }

const { success: _, ...research } = samples.research

/** The parts of the paid answers. */
export const sampleBody = {
  success: true,
  _notice: {
    type: "static_sample",
    message: "Static samples with invented values. The shapes are real, the markets are not.",
  },
  feedItems: [samples.signal.data, ...samples.signals.data],
  whales: samples.whales.data.wallets,
  digest: samples.digest.data,
  resolving: samples.resolving.data,
  research,
}

/** A value with the first row of each list of objects only. */
export function firstRows(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (!Array.isArray(value)) return Record.map(Object(value), firstRows)
  const areRows = value.every((row) => typeof row === "object")
  return (areRows ? value.slice(0, 1) : value).map(firstRows)
}
