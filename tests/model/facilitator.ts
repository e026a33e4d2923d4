/**
 * A facilitator that brings authorizations to the chain, and lies in eight ways about it.
 *
 * @module
 */
import { type Authorization, blockSeconds, nonceKey } from "./chain.ts"
import { type Steps, type Task, wait } from "./kernel.ts"
import type { World } from "./world.ts"

export type Verified = "valid" | "invalid" | "unknown"
export type Said = "settled" | "declined" | "unknown"

/** How long the edge and the worker wait for each. */
const verifySeconds = 4
const settleSeconds = 21
/** How long a lone payment's chain cannot be read: the edge gives up, its buyer comes back in time. */
const awaySeconds = 40

const misbehaviours = [
  "success without a transaction",
  "failure after broadcast",
  "double broadcast",
  "late broadcast",
  "5xx after broadcast",
  "HTML",
  "garbage JSON",
  "never answering",
] as const
export type Misbehaviour = (typeof misbehaviours)[number]

/** Whether this authorization would execute now, as an honest facilitator sees it. */
function executable({ chain, kernel }: World, use: Authorization): boolean {
  return !chain.entries.has(nonceKey(use.from, use.nonce)) &&
    kernel.now + 6 < use.validBefore && (chain.fundedAt.get(use.from) ?? 0) <= kernel.now
}

export function* verify(world: World, me: Task, use: Authorization): Steps<Verified> {
  const { random, chain } = world
  yield wait(me, "verify", random.between(0.05, 1))
  if (!random.chance(world.faults.misbehaviour)) {
    const verdict = executable(world, use) ? "valid" : "invalid"
    me.done = true
    yield random.between(0.05, 0.5)
    return verdict
  }
  me.done = true
  switch (random.below(4)) {
    case 0:
      if (world.broken.has("only settlements go wrong")) return "unknown"
      world.count("verify: settles what it was only shown")
      chain.broadcast(use, random.between(0, 150))
      return "valid"
    case 1:
      world.count("verify: says valid whatever it is")
      yield random.between(0.05, verifySeconds)
      return "valid"
    case 2:
      world.count("verify: says invalid, and settles")
      if (random.chance(0.3) && !world.broken.has("only settlements go wrong")) {
        chain.broadcast(use, random.between(0, 150))
      }
      return "invalid"
    default:
      world.count("verify: never answers")
      yield verifySeconds
      return "unknown"
  }
}

export function* settle(
  world: World,
  me: Task,
  use: Authorization,
  step: string,
): Steps<Said> {
  const { random, chain, kernel } = world
  yield wait(me, step, random.between(0.05, 0.5))
  if (world.lone?.chainAway === true && chain.unreadableUntil === 0) {
    chain.unreadableUntil = kernel.now + awaySeconds
  }
  me.done = true
  if (random.chance(world.faults.misbehaviour)) {
    const [first, ...rest] = misbehaviours
    return yield* misbehave(world, use, random.pick([first, ...rest]))
  }
  if (!executable(world, use)) return "declined"
  world.chain.broadcast(use, random.between(0, 3))
  return yield* awaited(world, use)
}

/** Waits for the transaction, as long as anybody waits for the facilitator. */
function* awaited({ chain }: World, use: Authorization): Steps<Said> {
  const key = nonceKey(use.from, use.nonce)
  for (let waited = 0; waited < settleSeconds; waited += blockSeconds) {
    yield blockSeconds
    if (chain.entries.get(key)?.kind === "transfer") return "settled"
  }
  return "unknown"
}

function* misbehave(world: World, use: Authorization, way: Misbehaviour): Steps<Said> {
  const { random, chain } = world
  world.count(`settle: ${way}`)
  const maybeBroadcast = () => {
    if (random.chance(0.5)) chain.broadcast(use, random.between(0, 5))
  }
  switch (way) {
    case "success without a transaction":
      yield random.between(0.1, 5)
      return "settled"
    case "failure after broadcast":
      chain.broadcast(use, random.between(0, 5))
      yield random.between(0.1, 10)
      return "declined"
    case "double broadcast":
      chain.broadcast(use, random.between(0, 3))
      chain.broadcast(use, random.between(3, 20))
      return yield* awaited(world, use)
    case "late broadcast":
      chain.broadcast(use, random.between(10, 200))
      yield random.between(0.1, 10)
      return random.chance(0.5) ? "declined" : "unknown"
    case "5xx after broadcast":
      chain.broadcast(use, random.between(0, 5))
      yield random.between(0.1, 5)
      return "unknown"
    case "HTML":
    case "garbage JSON":
      maybeBroadcast()
      yield random.between(0.1, 5)
      return "unknown"
    case "never answering":
      maybeBroadcast()
      yield settleSeconds
      return "unknown"
  }
}
