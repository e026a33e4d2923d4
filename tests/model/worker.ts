/**
 * A refund worker: proves the incoming payment, signs, persists, relays, confirms.
 *
 * @module
 */
import type { Authorization } from "./chain.ts"
import { lost, type Refund, type Row } from "./database.ts"
import { settle } from "./facilitator.ts"
import { idle, type Machine, type Steps, type Task, wait } from "./kernel.ts"
import { decideRefund } from "./refundDecision.ts"
import type { World } from "./world.ts"

const lease = 60
const pollSeconds = 15
const againSeconds = 10
/** How long a signed refund can be executed. */
const validSeconds = 90

export function startWorker(world: World, name: string): Machine {
  const crashed = () => world.note(null, `${name} dies`)
  const machine: Machine = { name, life: 0, mortal: true, skew: 0, restart: () => {}, crashed }
  machine.restart = () => void world.kernel.start(machine, 1, (me) => work(world, me))
  machine.restart()
  return machine
}

function* work(world: World, me: Task): Steps {
  const { database } = world
  for (;;) {
    const row = yield* database.call(me, idle, () => take(world))
    if (row === lost || row === null) yield wait(me, idle, pollSeconds)
    else yield* advance(world, me, row)
  }
}

/** Leases one refund that is open and due; null when there is none. */
function take({ database, kernel }: World): Row | null {
  for (const row of database.rows.values()) {
    const { refund } = row
    if (refund === null || refund.leaseUntil > kernel.now || refund.nextAt > kernel.now) continue
    if (refund.state === "confirmed" || refund.state === "cancelled") continue
    return database.changeRefund(row, { leaseUntil: kernel.now + lease })
  }
  return null
}

/** Takes one refund as far as it goes now: the domain decides, this acts. */
function* advance(world: World, me: Task, row: Row): Steps {
  const { refund } = row
  const view = yield* world.chain.view(me, "prove incoming")
  if (view === null || refund === null) return yield* postpone(world, me, row, {})
  const { action, treasury, nonce, amount } = decideRefund(world, row, refund, view)
  switch (action.act) {
    case "sign": {
      const validBefore = Math.ceil(world.kernel.now) + validSeconds
      const change = { state: "signed", treasury, nonce, amount, validBefore } as const
      return yield* sign(world, me, row, change)
    }
    case "relay":
      return yield* relay(world, me, row)
    case "confirm":
      return yield* confirm(world, me, row)
    case "cancel":
      return yield* cancel(world, me, row)
    case "stick":
      world.note(row.key, `${me.machine.name} is stuck: ${action.reason}`)
      return yield* postpone(world, me, row, { state: "stuck" })
    case "wait":
      return yield* postpone(world, me, row, {})
  }
}

/** The signature is stored before anybody sees it. */
function* sign(world: World, me: Task, row: Row, change: Partial<Refund>): Steps {
  const signed = yield* world.database.call(
    me,
    "persist the signature",
    () => world.database.changeRefund(row, change),
  )
  if (signed !== lost && signed !== null) yield* relay(world, me, signed)
}

function* relay(world: World, me: Task, row: Row): Steps {
  const { database, kernel, broken } = world
  const { refund } = row
  if (refund === null || refund.treasury === null || refund.nonce === null) return
  const use: Authorization = {
    from: refund.treasury,
    nonce: refund.nonce,
    to: row.authorization.from,
    value: refund.amount,
    validBefore: refund.validBefore,
    kind: "transfer",
    refundOf: row.key,
  }
  world.note(row.key, `${me.machine.name} relays a refund of ${use.value} from ${use.from}`)
  const said = yield* settle(world, me, use, "relay")
  if (said === "settled" && broken.has("trust the facilitator's refund")) {
    return yield* confirm(world, me, row)
  }
  const attempts = refund.attempts + (said === "declined" ? 1 : 0)
  yield* database.call(me, "record the broadcast", () =>
    database.changeRefund(row, {
      ...(said === "settled" ? { state: "broadcast" } : {}),
      attempts,
      leaseUntil: 0,
      nextAt: kernel.now + againSeconds,
    }))
}

function* postpone(world: World, me: Task, row: Row, change: Partial<Refund>): Steps {
  const { database, kernel } = world
  yield* database.call(
    me,
    "postpone",
    () =>
      database.changeRefund(row, { ...change, leaseUntil: 0, nextAt: kernel.now + againSeconds }),
  )
}

/** The payment and its refund end together. */
function* confirm(world: World, me: Task, row: Row): Steps {
  const { database } = world
  yield* database.call(me, "confirm", () => {
    if (database.changeRefund(row, { state: "confirmed" }) === null) return
    const now = database.find(row.key)
    if (now !== null) database.move(now, "refund", {})
  })
}

/** The payment was reorganised away and can never come back: nothing is owed. */
function* cancel(world: World, me: Task, row: Row): Steps {
  const { database } = world
  yield* database.call(me, "cancel", () => {
    if (database.changeRefund(row, { state: "cancelled" }) === null) return
    const now = database.find(row.key)
    if (now !== null) database.move(now, "void", {})
  })
}
