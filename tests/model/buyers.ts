/**
 * Those who pay, retry, hang up, cheat, and copy what others have paid.
 *
 * @module
 */
import type { Call, Edge, Shown } from "./call.ts"
import { sell } from "./edge.ts"
import { type Authorization, elsewhere, nonceKey, payTo } from "./chain.ts"
import { type Steps, type Task, wait } from "./kernel.ts"
import type { Told, World } from "./world.ts"

export const price = 10
const attemptsMax = 8
/** How long somebody who copies payments waits for one to become public. */
const thiefPatience = 400

export interface Market {
  readonly edges: readonly [Edge, ...ReadonlyArray<Edge>]
  /** Buyers and thieves who are not done yet. */
  active: number
  signatures: number
}

/** Everybody who will come, and when. */
export function openMarket(world: World, market: Market): void {
  const { random, lone } = world
  if (lone !== null) return spawn(world, market, 1, (me) => buy(world, market, me, 20))
  const buyers = 3 + random.below(6)
  for (let from = 20; from < 20 + buyers; from++) {
    spawn(world, market, random.between(0, 700), (me) => buy(world, market, me, from))
  }
}

function spawn(world: World, market: Market, at: number, steps: (me: Task) => Steps): void {
  market.active++
  world.kernel.start(world.outside, at, function* (me) {
    yield* steps(me)
    market.active--
  })
}

function sign(world: World, market: Market, from: number): Shown {
  const { random, kernel } = world
  market.signatures++
  const authorization: Authorization = {
    from,
    nonce: market.signatures,
    to: payTo,
    value: price,
    validBefore: Math.floor(kernel.now + random.between(60, 150)),
    kind: "transfer",
    refundOf: null,
  }
  const { lone } = world
  const secret = lone !== null || random.chance(0.6) ? market.signatures : null
  const product = random.below(8)
  const request = lone === null ? product : lone.order === "compute-first" ? 0 : 1
  return { authorization, signature: market.signatures, request, secret }
}

function* buy(world: World, market: Market, me: Task, from: number): Steps {
  const { random, chain, kernel } = world
  let shown = sign(world, market, from)
  let fresh = 2
  misuse(world, market, shown)
  if (!world.payersBehave) {
    if (random.chance(0.04)) chain.fundedAt.set(from, kernel.now + random.between(20, 200))
    if (random.chance(0.05)) {
      world.count("buyer: pays and never asks")
      return chain.broadcast(shown.authorization, random.between(0, 20))
    }
  }
  const impatient = !world.faultFree && random.chance(0.25)
  const persistence = world.faultFree ? 1 : random.between(0.7, 1)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const patience = impatient && attempt === 0 ? random.between(0.3, 10) : 90
    const told = yield* ask(world, market, me, shown, "payer", patience)
    if (told !== null) {
      const { status, charged } = told
      if (status === 200 || status === 410 || (status === 409 && charged !== null)) return
      if (status === 402) {
        if (fresh-- === 0 || !random.chance(0.8)) return
        shown = sign(world, market, from)
        world.count("buyer: signs a fresh nonce")
        misuse(world, market, shown)
      }
    }
    if (world.lone?.comesBack === false || !random.chance(persistence)) return
    // Some come back only when their answer has been given up.
    const long = !world.faultFree && random.chance(told === null ? 0.3 : 0.05)
    yield wait(me, "think", long ? random.between(100, 500) : random.between(1, 40))
  }
}

/** What the payer, or somebody else, does with a payment beside asking for its answer. */
function misuse(world: World, market: Market, shown: Shown): void {
  const { random, chain } = world
  const { authorization } = shown
  const soon = random.between(-1, 60)
  const broadcast = (what: string, change: Partial<Authorization>, seconds: number) => {
    world.count(`buyer: ${what}`)
    chain.broadcast({ ...authorization, ...change }, Math.max(0, seconds))
  }
  if (world.faultFree) return
  if (random.chance(0.06)) broadcast("cancels", { kind: "cancel" }, soon)
  if (random.chance(0.05)) broadcast("spends the nonce elsewhere", { to: elsewhere }, soon)
  if (world.payersBehave) return
  if (random.chance(0.08)) broadcast("settles by themselves", {}, soon)
  if (random.chance(0.04)) {
    const validBefore = authorization.validBefore + 200
    const late = random.between(0, validBefore - world.kernel.now)
    broadcast("signs the nonce again, for longer", { validBefore }, late)
  }
  if (random.chance(0.03)) broadcast("signs the nonce again, for more", { value: price + 5 }, soon)
  if (random.chance(0.2)) {
    world.count("buyer: sends it twice at once")
    spawn(world, market, random.between(0, 2), (me) => once(world, market, me, shown, "payer"))
  }
  if (random.chance(0.08)) {
    world.count("buyer: replays it on another route")
    const other = { ...shown, request: (shown.request + 1 + random.below(7)) % 8 }
    const at = random.between(0, 60)
    spawn(world, market, at, (me) => once(world, market, me, other, "payer"))
  }
  if (random.chance(0.2)) spawn(world, market, 0, (me) => steal(world, market, me, shown))
}

function* once(world: World, market: Market, me: Task, shown: Shown, by: Told["by"]): Steps {
  yield* ask(world, market, me, shown, by, 60)
}

/** Waits until the payment is public, then shows it without its secret, a few times. */
function* steal(world: World, market: Market, me: Task, shown: Shown): Steps {
  const { chain, random } = world
  const { from, nonce } = shown.authorization
  const secret = random.chance(0.5) ? -1 : null
  for (let waited = 0; !chain.everPaid.has(nonceKey(from, nonce)); waited += 2) {
    if (waited > thiefPatience) return
    yield wait(me, "lurk", 2)
  }
  world.count("thief: shows what is public")
  for (let times = 0; times < 3; times++) {
    yield wait(me, "lurk", times * random.between(0, 20))
    yield* ask(world, market, me, { ...shown, secret }, "thief", 30)
  }
}

/** One request; null when nothing was heard: the edge died, or the asker hung up. */
function* ask(
  world: World,
  market: Market,
  me: Task,
  shown: Shown,
  by: Told["by"],
  patience: number,
): Steps<Told | null> {
  const { random, kernel } = world
  yield wait(me, "ask", random.between(0.01, 0.2))
  const edge = random.pick(market.edges)
  if (!edge.isUp) return null
  const key = nonceKey(shown.authorization.from, shown.authorization.nonce)
  const call: Call = { key, shown, by, edge, gone: false, told: null, reset: false, waiting: me }
  edge.calls.add(call)
  kernel.start(edge.machine, 0, (task) => sell(world, task, call))
  yield wait(me, "await", patience)
  if (call.told === null && !call.reset) {
    call.gone = true
    edge.calls.delete(call)
    world.count("buyer: hangs up")
  }
  return call.told
}
