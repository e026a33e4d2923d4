/**
 * The settle-early order: check, verify, intend, settle, prove, then compute, answer, send; what is
 * paid and cannot be answered is owed.
 *
 * @module
 */
import {
  type Call,
  challenge,
  deliver,
  lease,
  notCharged,
  read,
  refundQueued,
  respond,
  sellable,
  unresolved,
} from "./call.ts"
import { proveSettled, stillUnused, verified } from "./computeFirst.ts"
import { lost, type Row } from "./database.ts"
import { settle } from "./facilitator.ts"
import { type Steps, type Task, wait } from "./kernel.ts"
import { queueSeparately } from "./reconcile.ts"
import type { World } from "./world.ts"

/** Runs a payment this task has claimed to its end. */
export function* sellSettleEarly(world: World, me: Task, call: Call, row: Row): Steps {
  const { database, kernel, random, broken } = world
  const { shown } = call
  yield wait(me, "check", random.between(0.01, 0.5))
  if (!(yield* verified(world, me, call, row))) return
  const unusedAt = yield* stillUnused(world, me, call, row)
  if (unusedAt === null) return
  const early = broken.has("settle before intent")
    ? yield* settle(world, me, shown.authorization, "settle")
    : null
  const settling = yield* database.call(
    me,
    "intend",
    () =>
      database.move(row, "intend", {
        intendedAt: kernel.now,
        unusedAt,
        leaseUntil: kernel.now + lease,
      }),
  )
  if (settling === lost) return void (yield* respond(world, me, call, kernel.now, notCharged))
  if (settling === null) return void (yield* respond(world, me, call, kernel.now, unresolved))
  const said = early ?? (yield* settle(world, me, shown.authorization, "settle"))
  const proof = yield* proveSettled(world, me, row, said)
  const moved = yield* database.call(me, "settled", () => {
    if (proof.proof === "never") return database.move(settling, "void", {})
    if (!sellable(world, settling, proof)) return database.move(settling, "doubt", {})
    return database.move(settling, "settle", { leaseUntil: kernel.now + lease })
  })
  if (moved !== lost && moved?.state === "settled") {
    return yield* sellSettled(world, me, call, moved)
  }
  const never = moved !== lost && moved?.state === "void"
  const reply = never || broken.has("402 on unknown") ? challenge : unresolved
  yield* respond(world, me, call, kernel.now, reply)
}

/** Computes and hands over what is paid; whoever moved the row to `settled` does this, nobody else. */
export function* sellSettled(world: World, me: Task, call: Call, settled: Row): Steps {
  const { database, kernel, random } = world
  yield wait(me, "compute paid", random.between(0.1, 8))
  if (random.chance(world.faults.work)) {
    const owed = yield* database.call(
      me,
      "owe",
      () => database.owe(settled, settled.authorization.value),
    )
    yield* queueSeparately(world, me, settled, settled.authorization.value)
    const queued = owed !== lost && owed !== null
    const reply = queued ? refundQueued : unresolved
    return void (yield* respond(world, me, call, kernel.now, reply))
  }
  const answer = world.nextAnswer()
  const moved = yield* database.call(
    me,
    "answer paid",
    () => database.move(settled, "answer", { answer, answeredAt: kernel.now, leaseUntil: 0 }),
  )
  const row = moved === lost || moved === null ? yield* read(world, me, call.key) : moved
  if (row !== lost && row?.state === "answered") {
    return yield* deliver(world, me, call, row, kernel.now)
  }
  const owed = row !== lost && (row?.state === "refund_due" || row?.state === "refunded")
  yield* respond(world, me, call, kernel.now, owed ? refundQueued : unresolved)
}
