/**
 * One request to one edge, and how it is answered.
 *
 * @module
 */
import { type Authorization, blockSeconds, type Proof } from "./chain.ts"
import { type Lost, lost, type Row } from "./database.ts"
import { type Machine, type Steps, type Task, wait } from "./kernel.ts"
import type { Told, World } from "./world.ts"

/** Seconds; the proportions are those of the service, HOLD is shorter so that a run is. */
export const lease = 90
export const hold = 300
/** How long after the intent a settle-early payment may still be sold to its buyer. */
export const sellWithin = 120

/**
 * Whether the chain shows what was agreed, and in a block that came after the claim and after the
 * look before its intent. What was public earlier may have been copied by whoever made the claim:
 * that is paid back, never sold.
 */
export function sellable({ broken }: World, row: Row, proof: Proof): boolean {
  if (proof.proof !== "paid" || proof.value !== row.authorization.value) return false
  const later = proof.block > row.unusedAt && proof.block * blockSeconds > row.claimedAt
  return later || broken.has("sell what was public before")
}

/** What a buyer, or a thief, puts into a request. */
export interface Shown {
  readonly authorization: Authorization
  /** Stands for the signature's bytes: another authorization has another one. */
  readonly signature: number
  readonly request: number
  readonly secret: number | null
}

export interface Edge {
  readonly machine: Machine
  readonly calls: Set<Call>
  isUp: boolean
  /** Answers it has made; only a protocol that is broken so sells from here. */
  readonly memory: Map<number, number>
}

export interface Call {
  readonly key: number
  readonly shown: Shown
  readonly by: Told["by"]
  readonly edge: Edge
  /** The buyer has hung up; the edge can see that. */
  gone: boolean
  told: Told | null
  /** The edge died with the connection. */
  reset: boolean
  waiting: Task | null
}

export type Reply = Pick<Told, "status" | "charged" | "body">

export const unresolved: Reply = { status: 503, charged: null, body: null }
export const inProgress: Reply = { status: 409, charged: null, body: null }
export const challenge: Reply = { status: 402, charged: false, body: null }
export const notCharged: Reply = { status: 502, charged: false, body: null }
export const alreadyUsed: Reply = { status: 409, charged: true, body: null }
export const refunded: Reply = { status: 410, charged: true, body: null }
export const refundQueued: Reply = { status: 502, charged: true, body: null }

export const even = (request: number): boolean => request % 2 === 0

/** Hands a reply over, if anybody is still there; true when it was. */
export function* respond(
  world: World,
  me: Task,
  call: Call,
  readAt: number,
  reply: Reply,
): Steps<boolean> {
  yield wait(me, "send", world.random.between(0.005, 0.1))
  call.edge.calls.delete(call)
  if (call.gone) return false
  const { key, by } = call
  const told = { at: world.kernel.now, readAt, key, by, asked: call.shown.request, ...reply }
  world.note(key, `${me.machine.name} tells the ${by} ${reply.status} charged=${reply.charged}`)
  world.told.push(told)
  call.told = told
  if (call.waiting !== null) world.kernel.wake(call.waiting)
  return true
}

/** How often an edge tries to remember that an answer was handed over. */
const markTimes = 3

/** Hands over the answer of a charged row, and remembers it. */
export function* deliver(world: World, me: Task, call: Call, row: Row, readAt: number): Steps {
  const body = { answers: row.request ?? -1, answer: row.answer }
  if (row.answer !== null) call.edge.memory.set(row.key, row.answer)
  const delivered = yield* respond(world, me, call, readAt, { status: 200, charged: true, body })
  if (!delivered || row.sentAt !== null) return
  for (let tries = 0; tries < markTimes; tries++) {
    const marked = yield* world.database.call(me, "mark sent", () => {
      world.database.markSent(call.key)
      return true
    })
    if (marked !== lost) return
  }
}

/** Reads the row; what is not there or not to be had is null. */
export function* read(world: World, me: Task, key: number): Steps<Row | null | Lost> {
  return yield* world.database.call(me, "find", () => world.database.find(key))
}
