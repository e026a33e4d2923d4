/**
 * The arguments of the restore command.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Effect } from "effect"
import { parseRestore } from "../../src/app/restoreArguments.ts"
import { test } from "../support/effect.ts"

test("any number of journals and one block are accepted, in any order", () =>
  Effect.gen(function* () {
    equal(yield* parseRestore(["--journal", "a", "--since", "42", "--journal", "b,c"]), {
      journals: ["a", "b,c"],
      since: 42n,
    })
    equal(yield* parseRestore(["--journal", "a"]), { journals: ["a"], since: null })
    equal(yield* parseRestore(["--since", "1"]), { journals: [], since: 1n })
  }))

for (
  const [args, because] of [
    ["", /nothing to restore/],
    ["--journal", /--journal needs a value/],
    ["--journal --since 4", /--journal needs a value/],
    ["--since", /--since needs a value/],
    ["--since 0", /must be the number of a block, and is 0/],
    ["--since -1", /must be the number of a block/],
    ["--since 0x10", /must be the number of a block/],
    ["--since 1e3", /must be the number of a block/],
    ["--since 9999999999999999", /must be the number of a block/],
    ["--since 1 --since 2", /once/],
    [".data/journal", /is not an option/],
    ["--journals a", /--journals is not an option/],
  ] as const
) {
  test(`restore ${args} is refused, and the message says how to use it`, () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(parseRestore(args.split(" ").filter((word) => word !== "")))
      match(error.message, because)
      match(error.message, /Use: deno task restore --journal FOLDER/)
    }))
}
