/**
 * The threat model's table of permissions is the one that the code gives.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { Effect } from "effect"
import { test } from "../support/effect.ts"
import { threatModel, withPermissions } from "../support/permissionsTable.ts"

test("docs/threat-model.md has the permissions of today; else run `deno task generate`", () =>
  Effect.gen(function* () {
    const text = yield* Effect.promise(() => Deno.readTextFile(threatModel))
    // Not equal(): the difference of two documents is longer than a terminal.
    ok(text === (yield* withPermissions(text)))
    ok(!(/`start`.*TREASURY_PRIVATE_KEY/.test(text)))
    ok(/`refunds`.*TREASURY_PRIVATE_KEY/.test(text))
  }))
