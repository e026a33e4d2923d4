/**
 * The recorded digests and reports, run against a model's server on a real socket.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { liveTest } from "../support/effect.ts"
import { modelServer, overModel } from "../support/writing/modelServer.ts"
import { writtenPages } from "../support/writing/recordedCases.ts"
import { writesTruly } from "../support/writing/writers.ts"

liveTest(
  "writePage() accepts true claims about every recorded page, and refuses none",
  () =>
    Effect.gen(function* () {
      const server = yield* modelServer(writesTruly)
      const pages = yield* Effect.provide(writtenPages, overModel(server))
      equal(
        pages.map(({ name }) => name),
        [1, 2, 3].map((n) => `digest-${n}`).concat(
          [1, 2, 3].map((n) => `report-${n}`),
        ),
      )
      for (const { name, accepted, refused, failed } of pages) {
        ok(accepted > 0 && refused === 0 && failed === 0, `${name}: ${accepted}, ${refused}`)
      }
    }),
)
