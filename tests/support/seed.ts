/**
 * Loaded before every test file: laws are checked on the same values, and samples drawn from the same
 * ones, in every run, so that a change fails only by what it changed. `deno task test:hunt` leaves the seed to chance and looks for what
 * fails rarely.
 *
 * @module
 */
import "../../src/core/fiberContext.ts"
import { Arbitrary } from "effect"

const seed = "bellwether"
Arbitrary.configureGlobal({ check: { seed }, sample: { seed } })
