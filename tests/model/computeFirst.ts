/**
 * The compute-first order: verify, compute, intend with the bytes, settle, prove, answer, send.
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
  type Reply,
  respond,
  sellable,
  unresolved,
} from "./call.ts"
import type { Proof } from "./chain.ts"
import { lost, type Row } from "./database.ts"
import { type Said, settle, verify } from "./facilitator.ts"
import { type Steps, type Task, wait } from "./kernel.ts"
import { proofOf } from "./proof.ts"
import type { World } from "./world.ts"

/** How often the chain is asked after settlement, and how many times. */
const proveSeconds = 2
const proveTimes = 6

/** Runs a payment this task has claimed to its end. */
export function* sellComputeFirst(world: World, me: Task, call: Call, row: Row): Steps {
  const { database, kernel, random, broken } = world
  const { shown } = call
  if (!(yield* verified(world, me, call, row))) return
  yield wait(me, "compute", random.between(0.1, 8))
  if (call.gone) return void (yield* release(world, me, row))
  const fails = random.chance(world.faults.work)
  const given = !fails && !world.faultFree && random.chance(0.03)
  if (fails || given) {
    const body = { answers: shown.request, answer: null }
    const reply: Reply = given ? { status: 200, charged: false, body } : notCharged
    return yield* releaseAndTell(world, me, call, row, reply)
  }
  const unusedAt = yield* stillUnused(world, me, call, row)
  if (unusedAt === null) return
  const answer = world.nextAnswer()
  const early = broken.has("settle before intent")
    ? yield* settle(world, me, shown.authorization, "settle")
    : null
  const kept = broken.has("bytes only with the answer") ? null : answer
  const settling = yield* database.call(me, "intend", () =>
    database.move(row, "intend", {
      answer: kept,
      intendedAt: kernel.now,
      unusedAt,
      leaseUntil: kernel.now + lease,
    }))
  if (settling === lost) return void (yield* respond(world, me, call, kernel.now, notCharged))
  if (settling === null) return void (yield* respond(world, me, call, kernel.now, unresolved))
  const said = early ?? (yield* settle(world, me, shown.authorization, "settle"))
  const proof = yield* proveSettled(world, me, row, said)
  yield* end(world, me, call, settling, proof, answer)
}

/** Makes the last move; when it is not heard of, or somebody was faster, the row itself is asked. */
function* end(
  world: World,
  me: Task,
  call: Call,
  settling: Row,
  proof: Proof,
  answer: number,
): Steps {
  const { database, kernel } = world
  const moved = yield* database.call(me, "answer", () => {
    if (proof.proof === "never") return database.move(settling, "void", { answer: null })
    if (!sellable(world, settling, proof)) return database.move(settling, "doubt", {})
    return database.move(settling, "answer", { answer, answeredAt: kernel.now })
  })
  const row = moved === lost || moved === null ? yield* read(world, me, call.key) : moved
  if (row !== lost && row?.state === "answered") {
    return yield* deliver(world, me, call, row, kernel.now)
  }
  const never = row !== lost && row?.state === "void"
  const reply = never || world.broken.has("402 on unknown") ? challenge : unresolved
  yield* respond(world, me, call, kernel.now, reply)
}

/** Asks the chain until it says something, whatever the facilitator said. */
export function* proveSettled(world: World, me: Task, row: Row, said: Said): Steps<Proof> {
  const { authorization } = row
  const { value } = authorization
  if (said === "settled" && world.broken.has("trust facilitator success")) {
    return { proof: "paid", block: world.chain.head(), value, safe: false }
  }
  if (said === "declined" && world.broken.has("trust facilitator failure")) {
    return { proof: "never", reason: "expired" }
  }
  for (let times = 0; times < proveTimes; times++) {
    const proof = yield* proofOf(world, me, authorization)
    if (proof.proof !== "not_yet") return proof
    yield wait(me, "prove again", proveSeconds)
  }
  return { proof: "not_yet" }
}

/** Asks the facilitator whether it would settle; else releases, and says so. */
export function* verified(world: World, me: Task, call: Call, row: Row): Steps<boolean> {
  const said = yield* verify(world, me, call.shown.authorization)
  if (call.gone) yield* release(world, me, row)
  else if (said === "valid") return true
  else yield* releaseAndTell(world, me, call, row, said === "invalid" ? challenge : notCharged)
  return false
}

/**
 * What is on the chain before its intent is public: whoever shows it may have copied it. It is never
 * sold, but paid back. Returns the block at which it was still unused; null when it may not be sold.
 */
export function* stillUnused(world: World, me: Task, call: Call, row: Row): Steps<number | null> {
  if (world.broken.has("sell what was public before")) return -1
  const view = yield* world.chain.view(me, "look before the intent")
  if (view !== null && world.chain.used(row.key, view.head, view) === undefined) return view.head
  yield* releaseAndTell(world, me, call, row, view === null ? notCharged : unresolved)
  return null
}

/**
 * When it was released; null without word of it. A release that does not come through is made by the
 * sweep, when the lease has run out.
 */
export function* release(world: World, me: Task, row: Row): Steps<number | null> {
  const { database, kernel } = world
  const released = yield* database.call(
    me,
    "release",
    () => database.move(row, "release", { leaseUntil: 0 }) === null ? null : kernel.now,
  )
  return released === lost ? null : released
}

/** Without word of the release, another copy of the payment may be about to be charged. */
export function* releaseAndTell(
  world: World,
  me: Task,
  call: Call,
  row: Row,
  reply: Reply,
): Steps {
  const releasedAt = yield* release(world, me, row)
  const told = releasedAt === null ? unresolved : reply
  yield* respond(world, me, call, releasedAt ?? world.kernel.now, told)
}
