/**
 * The face over an in-memory feed, as a process of its own for benchmarks.
 *
 * `PORT`, and `LIMITS=off|on`: with `off` no budget is counted, as `FREE_LIMIT=off` and its sisters
 * set it in the service; with `on` they are the defaults, counted in memory.
 *
 * @module
 */
import { Duration, Effect, Layer } from "effect"
import { layer } from "../../src/http/layer.ts"
import { faceOptions, makeWorld, servicesOver } from "../../tests/support/face.ts"

const off = Deno.env.get("LIMITS") !== "on"

await Effect.runPromise(Layer.launch(Layer.unwrap(
  Effect.map(makeWorld(1_000), (world) =>
    layer({
      ...faceOptions,
      limits: off ? { free: "off", documents: "off", invalidPayments: "off" } : faceOptions.limits,
      hostname: "127.0.0.1",
      port: Number(Deno.env.get("PORT")),
      drain: Duration.seconds(1),
    }).pipe(Layer.provide(servicesOver(world)))),
)))
