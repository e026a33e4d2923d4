/**
 * Computes the process of a task for `launch.ts`: `plan.ts dev | start | refunds | check | migrate |
 * restore | refunds:list | refunds:requeue | refunds:settle`.
 *
 * It ends before the process starts, because the settings need three times the memory of a launcher that
 * waits. Only these two may read the whole environment: each process gets only its own variables.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Effect } from "effect"
import { printPlan } from "./app/plan.ts"
import { exitCodeOf } from "./app/untilSignal.ts"

Deno.exit(await exitCodeOf(Effect.as(printPlan(Deno.args, (name) => Deno.env.get(name)), 0)))
