/**
 * A refund worker: proves the incoming payment, signs, persists, relays, confirms.
 *
 * @module
 */
import { type Authorization, blockSeconds, treasuries, type View } from "./chain.ts"
import { lost, type Refund, type Row } from "./database.ts"
import { settle } from "./facilitator.ts"
import { idle, type Machine, type Steps, type Task, wait } from "./kernel.ts"
import { proofIn, refundIn } from "./proof.ts"
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

/** Takes one refund as far as it goes now. */
function* advance(world: World, me: Task, row: Row): Steps {
  const { chain, broken } = world
  const { refund, authorization } = row
  const view = yield* chain.view(me, "prove incoming")
  if (view === null || refund === null) return yield* postpone(world, me, row)
  const proof = proofIn(world, view, authorization, 0)
  if (proof.proof === "never" && refund.state === "queued") return yield* cancel(world, me, row)
  const proven = proof.proof === "paid" && (proof.safe || broken.has("refund before safe"))
  if (!proven) return yield* postpone(world, me, row)
  const amount = broken.has("refund the agreed amount") ? authorization.value : proof.value
  const treasury = treasuryOf(world, refund, proof.block)
  const nonce = nonceOf(world, row, refund)
  const seen = confirmation(world, view, { ...refund, treasury, nonce, amount }, row)
  if (seen === "confirmed") return yield* confirm(world, me, row)
  if (seen === "spent elsewhere") return yield* postpone(world, me, row)
  const expired = view.safe * blockSeconds >= refund.validBefore
  if (refund.state === "queued" || expired) {
    const validBefore = Math.ceil(world.kernel.now) + validSeconds
    return yield* sign(world, me, row, { state: "signed", treasury, nonce, amount, validBefore })
  }
  if (refund.state === "signed") return yield* relay(world, me, row)
  yield* postpone(world, me, row)
}

/** One treasury for each payment, for ever: told by the block that holds the payment. */
function treasuryOf(world: World, refund: Refund, paidBlock: number): number {
  const { rotationAt, broken, kernel } = world
  const at = (seconds: number) => treasuries[rotationAt !== null && seconds >= rotationAt ? 1 : 0]
  if (broken.has("refund from the current key")) {
    return refund.state === "queued" || kernel.now > refund.validBefore
      ? at(kernel.now)
      : refund.treasury ?? at(kernel.now)
  }
  if (broken.has("treasury kept in the row alone")) return refund.treasury ?? at(kernel.now)
  return at(paidBlock * blockSeconds)
}

/** Derived from the payment, so that whoever signs it again signs the same. */
function nonceOf({ random, broken }: World, { authorization }: Row, refund: Refund): number {
  const drawn = () => 1_048_576 + random.below(1_048_576)
  if (broken.has("random refund nonce")) {
    return refund.state === "queued" ? drawn() : refund.nonce ?? drawn()
  }
  if (broken.has("nonce kept in the row alone")) return refund.nonce ?? drawn()
  return authorization.nonce
}

function confirmation(
  { chain, broken }: World,
  view: View,
  { treasury, nonce, amount }: Refund,
  { authorization }: Row,
): ReturnType<typeof refundIn> {
  if (treasury === null || nonce === null) return "unused"
  const upTo = broken.has("confirm a refund before safe") ? view.head : view.safe
  return refundIn(chain, view, upTo, { treasury, nonce, payer: authorization.from, amount })
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
  yield* database.call(me, "record the broadcast", () =>
    database.changeRefund(row, {
      state: said === "declined" ? "signed" : "broadcast",
      leaseUntil: 0,
      nextAt: kernel.now + againSeconds,
    }))
}

function* postpone(world: World, me: Task, row: Row): Steps {
  const { database, kernel } = world
  yield* database.call(
    me,
    "postpone",
    () => database.changeRefund(row, { leaseUntil: 0, nextAt: kernel.now + againSeconds }),
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
