/**
 * One replica of the service: it answers calls, sweeps, and scans the chain.
 *
 * @module
 */
import { sentAgain, wasTaken } from "../../src/payments/domain/payment.ts"
import {
  alreadyUsed,
  type Call,
  challenge,
  deliver,
  type Edge,
  even,
  inProgress,
  lease,
  notCharged,
  read,
  refunded,
  type Reply,
  respond,
  sellable,
  sellWithin,
  unresolved,
} from "./call.ts"
import { sellComputeFirst } from "./computeFirst.ts"
import { lost, type Row } from "./database.ts"
import { type Machine, type Steps, type Task, wait } from "./kernel.ts"
import { proofOf } from "./proof.ts"
import { isWaiting, judge, reconcile, scanner, sweeper } from "./reconcile.ts"
import { sellSettled, sellSettleEarly } from "./settleEarly.ts"
import type { World } from "./world.ts"

/** What a payment must have left to live, by the edge's own clock. */
const neededSeconds = 26
const waitSeconds = 1
const waitTimes = 20

export function startEdge(world: World, name: string): Edge {
  const calls = new Set<Call>()
  const skew = world.faultFree ? 0 : world.random.between(-20, 20)
  const crashed = () => {
    edge.isUp = false
    world.note(null, `${name} dies`)
    for (const call of calls) {
      call.reset = true
      if (call.waiting !== null) world.kernel.wake(call.waiting)
    }
    calls.clear()
  }
  const machine: Machine = { name, life: 0, mortal: true, skew, restart: () => {}, crashed }
  const edge: Edge = { machine, calls, isUp: false, memory: new Map() }
  machine.restart = () => {
    edge.isUp = true
    world.note(null, `${name} starts`)
    if (!world.broken.has("no sweeper")) {
      world.kernel.start(machine, world.random.between(0, 15), (me) => sweeper(world, edge, me))
    }
    if (!world.broken.has("no chain scan")) {
      world.kernel.start(machine, world.random.between(0, 60), (me) => scanner(world, me))
    }
  }
  machine.restart()
  return edge
}

export function* sell(world: World, me: Task, call: Call): Steps {
  const { database, kernel, broken } = world
  const { shown, edge } = call
  const { validBefore } = shown.authorization
  const late = kernel.now + edge.machine.skew + neededSeconds > validBefore
  if (late && broken.has("times before identity")) {
    return void (yield* respond(world, me, call, kernel.now, challenge))
  }
  if (!late) {
    const order = even(shown.request) ? "compute-first" : "settle-early"
    const { authorization, request, secret } = shown
    const made = yield* database.call(me, "claim", () => {
      const leaseUntil = kernel.now + lease
      const ticket = { authorization, signature: shown.signature, request, order, secret } as const
      return database.claim({ ...ticket, claimedAt: kernel.now, leaseUntil, answer: null })
    })
    if (made === lost) return void (yield* respond(world, me, call, kernel.now, unresolved))
    if (made.claimed) return yield* run(world, me, call, made.row)
  }
  for (let waits = 0; waits <= waitTimes; waits++) {
    const row = yield* read(world, me, call.key)
    if (row === lost) return void (yield* respond(world, me, call, kernel.now, unresolved))
    if (row === null) return void (yield* respond(world, me, call, kernel.now, challenge))
    const again = yield* known(world, me, call, row, late, waits)
    if (again === "answered") return
    yield wait(me, "wait", waitSeconds)
    if (call.gone) return
  }
  yield* respond(world, me, call, kernel.now, inProgress)
}

function* run(world: World, me: Task, call: Call, row: Row): Steps {
  world.note(call.key, `${me.machine.name} has claimed it for the ${call.by}`)
  const saga = row.order === "compute-first" ? sellComputeFirst : sellSettleEarly
  yield* saga(world, me, call, row)
}

/** Answers a payment that is already known, by the table of the domain. */
function* known(
  world: World,
  me: Task,
  call: Call,
  found: Row,
  late: boolean,
  waits: number,
): Steps<"answered" | "wait"> {
  const { database, kernel, broken } = world
  const readAt = kernel.now
  const reply = function* (answer: Reply, decidedAt = readAt): Steps<"answered"> {
    yield* respond(world, me, call, decidedAt, answer)
    return "answered"
  }
  if (!isBound(world, call, found)) {
    return yield* reply({ ...inProgress, charged: wasTaken(found.state) })
  }
  const secret = call.shown.secret
  const shows = secret !== null && secret === found.secret
  const remembered = broken.has("replay from memory") ? call.edge.memory.get(call.key) : undefined
  if (shows && remembered !== undefined) {
    yield* deliver(world, me, call, { ...found, answer: remembered }, readAt)
    return "answered"
  }
  if (found.state === "unresolved" && found.order === "settle-early" && shows) {
    if (yield* sellUnresolved(world, me, call, found)) return "answered"
  }
  const needsChain = found.state !== "released" && isWaiting(found, kernel.now)
  const row = needsChain ? yield* reconcile(world, me, found) : found
  if (row === lost) return yield* reply(unresolved)
  if (row === null) return "wait"
  const decidedAt = needsChain ? kernel.now : readAt
  switch (sentAgain(row.state, shows || pretends(world, row, waits))) {
    case "claim": {
      if (late) return yield* reply(challenge)
      const claimed = yield* database.call(me, "claim again", () =>
        database.move(row, "claim", {
          fence: row.fence + 1,
          secret,
          claimedAt: kernel.now,
          leaseUntil: kernel.now + lease,
        }))
      if (claimed === lost) return yield* reply(notCharged)
      if (claimed === null) return yield* reply(inProgress)
      yield* run(world, me, call, claimed)
      return "answered"
    }
    case "wait":
      return "wait"
    case "in_progress":
      return yield* reply(inProgress)
    case "reconcile":
      return yield* reply(world.broken.has("402 on unknown") ? challenge : unresolved)
    case "replay":
      yield* deliver(world, me, call, row, decidedAt)
      return "answered"
    case "already_used":
      return yield* reply(alreadyUsed)
    case "refunded":
      return yield* reply(refunded)
    case "challenge":
      return yield* reply(challenge, decidedAt)
  }
}

/** The same signature for the same request. An orphan is bound to nothing, and refunded anyway. */
function isBound({ broken }: World, { shown }: Call, row: Row): boolean {
  if (row.request === null) return true
  if (row.signature !== shown.signature) return false
  return row.request === shown.request || broken.has("no request binding")
}

/** Only for a protocol that is broken so: who shows no secret is taken for who does. */
function pretends({ broken }: World, { state }: Row, waits: number): boolean {
  return state === "answered" && waits === 0
    ? broken.has("redeliver without the secret")
    : broken.has("join without the secret")
}

/** The buyer came back for a settle-early payment: paid and in time, it is sold to them after all. */
function* sellUnresolved(world: World, me: Task, call: Call, row: Row): Steps<boolean> {
  const { database, kernel } = world
  const proof = yield* proofOf(world, me, row.authorization)
  const inTime = kernel.now - (row.intendedAt ?? 0) < sellWithin
  if (!sellable(world, row, proof) || !inTime) {
    yield* judge(world, me, row, proof)
    return false
  }
  const settled = yield* database.call(
    me,
    "settle late",
    () => database.move(row, "settle", { leaseUntil: kernel.now + lease }),
  )
  if (settled === lost || settled === null) return false
  yield* sellSettled(world, me, call, settled)
  return true
}
