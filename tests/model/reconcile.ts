/**
 * What becomes of payments nobody is working on: the sweep, and the scan of the chain.
 *
 * @module
 */
import { type Edge, hold, sellable, sellWithin } from "./call.ts"
import { type Authorization, type Entry, nonceKey, type Proof } from "./chain.ts"
import { type Lost, lost, type Row } from "./database.ts"
import { idle, type Steps, type Task, wait } from "./kernel.ts"
import { proofOf } from "./proof.ts"
import type { World } from "./world.ts"

const sweepSeconds = 15
const scanSeconds = 60
/** How many blocks a scan looks at again: what it passed while a row was in somebody's hands. */
const scanOverlap = 150

/** True when the row waits for somebody: its worker is gone, or only the chain can tell. */
export function isWaiting(row: Row, now: number): boolean {
  switch (row.state) {
    case "claimed":
    case "settling":
    case "settled":
      return row.leaseUntil <= now
    case "unresolved":
    case "released":
      return true
    default:
      return false
  }
}

/** Moves a waiting row as far as can be told now; the row as it then stands, as far as is known. */
export function* reconcile(world: World, me: Task, row: Row): Steps<Row | null | Lost> {
  const { database } = world
  switch (row.state) {
    case "claimed":
      return yield* database.call(me, "release lost", () => database.move(row, "release", {}))
    case "settled":
      return yield* owe(world, me, row, row.authorization.value)
    case "settling": {
      const doubted = yield* database.call(me, "doubt", () => database.move(row, "doubt", {}))
      if (doubted === lost || doubted === null) return doubted
      return yield* resolve(world, me, doubted)
    }
    default:
      return yield* resolve(world, me, row)
  }
}

function* resolve(world: World, me: Task, row: Row): Steps<Row | null | Lost> {
  const proof = yield* proofOf(world, me, row.authorization)
  return yield* judge(world, me, row, proof)
}

/** What the chain's word makes of a row that is unresolved or released. */
export function* judge(world: World, me: Task, row: Row, proof: Proof): Steps<Row | null | Lost> {
  const { database, kernel } = world
  if (proof.proof === "not_yet") return row
  if (proof.proof === "never") {
    return yield* database.call(me, "void", () => database.move(row, "void", { answer: null }))
  }
  const age = kernel.now - (row.intendedAt ?? -hold)
  if (sellable(world, row, proof) && row.state === "unresolved") {
    if (row.order === "settle-early" && age < sellWithin) return row
    if (row.order === "compute-first" && age < hold) {
      return yield* database.call(
        me,
        "answer late",
        () => database.move(row, "answer", { answeredAt: kernel.now }),
      )
    }
  }
  return yield* owe(world, me, row, proof.value)
}

export function* owe(world: World, me: Task, row: Row, amount: number): Steps<Row | null | Lost> {
  const owed = yield* world.database.call(me, "owe", () => world.database.owe(row, amount))
  yield* queueSeparately(world, me, row, amount)
  return owed
}

/** Only for a protocol that is broken so: the refund row follows its state, if it does. */
export function* queueSeparately(world: World, me: Task, row: Row, amount: number): Steps {
  const { database, broken } = world
  if (!broken.has("refund row in another transaction")) return
  yield* database.call(me, "queue refund", () => {
    if (database.find(row.key)?.state === "refund_due") database.queueRefund(row.key, amount)
  })
}

/** Every SWEEP: expired leases, the unresolved, the released once they are void, the unsent. */
export function* sweeper(world: World, edge: Edge, me: Task): Steps {
  const { database, kernel, broken } = world
  for (;;) {
    yield wait(me, idle, world.random.between(0.8, 1.2) * sweepSeconds)
    const localNow = kernel.now + edge.machine.skew
    const rows = yield* database.call(me, idle, () => waiting(world, localNow))
    if (rows === lost) continue
    for (const row of rows) {
      if (row.state !== "answered") yield* reconcile(world, me, row)
      else if (!broken.has("no refund of the unsent")) {
        yield* owe(world, me, row, row.authorization.value)
      }
    }
  }
}

function waiting({ database, kernel, broken }: World, localNow: number): ReadonlyArray<Row> {
  const found: Array<Row> = []
  for (const row of database.rows.values()) {
    const unsent = row.state === "answered" && (row.sentAt === null ||
      broken.has("refund what was sent")) &&
      (row.answeredAt ?? 0) + hold < kernel.now
    const released = row.state === "released"
    const due = released
      ? localNow > row.authorization.validBefore && !broken.has("released is final")
      : isWaiting(row, kernel.now)
    if (unsent || due) found.push({ ...row })
  }
  return found
}

/** Every authorization transfer to us is matched with its row; the cursor is moved after them all. */
export function* scanner(world: World, me: Task): Steps {
  for (;;) {
    yield wait(me, idle, world.random.between(0.8, 1.2) * scanSeconds)
    yield* scan(world, me)
  }
}

/** One scan; true when it came to its end. */
export function* scan(world: World, me: Task): Steps<boolean> {
  const { database, chain, broken } = world
  const cursor = yield* database.call(me, idle, () => database.cursor)
  const view = yield* chain.view(me, idle)
  if (cursor === lost || view === null) return false
  const upTo = broken.has("scan what is not yet safe") ? view.head : view.safe
  const overlap = broken.has("scan every block once") ? 0 : scanOverlap
  const advance = () => {
    database.cursor = Math.max(database.cursor, upTo)
    return true
  }
  if (broken.has("cursor before rows")) yield* database.call(me, "advance", advance)
  for (const entry of chain.received(cursor - overlap, upTo, view)) {
    const matched = yield* database.call(me, "match", () => match(world, entry))
    if (matched === lost) return false
  }
  return (yield* database.call(me, idle, advance)) !== lost
}

function match({ database, broken }: World, entry: Entry): void {
  const { block: _, ...authorization } = entry
  const row = database.find(nonceKey(entry.from, entry.nonce))
  if (row === null) database.orphan(authorization satisfies Authorization)
  else if (row.state === "void") database.owe(row, entry.value)
  else if (row.state === "released" && !broken.has("released hidden from the scan")) {
    database.owe(row, entry.value)
  }
}
