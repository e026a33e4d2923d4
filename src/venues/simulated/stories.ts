/**
 * What the press of a simulated world writes about a market: before and after its planted jumps, ahead
 * of its end, and once its outcome exists. Also what it writes about nothing of the kind.
 *
 * Titles are made from the words of the question, as headlines about it would be.
 *
 * @module
 */
import { day, type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import type { SimulatedMarket } from "./lives.ts"
import { between, type Key, mix, pick, uniform } from "./seed.ts"
import type { World } from "./world.ts"

/** `misreport`: says that the other outcome has come about; a `correction` follows. */
export type StoryKind =
  | "preview"
  | "before_jump"
  | "after_jump"
  | "done"
  | "misreport"
  | "correction"
  | "noise"

export interface Story {
  readonly at: EpochMs
  readonly title: string
  readonly kind: StoryKind
}

/** How a market's news is worded. Of `done`, what is written when each outcome has come about. */
interface Wording {
  readonly done: readonly [string, string]
  readonly preview: string
  readonly rise: string
  readonly fall: string
}

type Form = readonly [RegExp, (...found: ReadonlyArray<string>) => Wording]

/** One for each kind of question that `phrases.ts` asks; of a pair of clubs the first stands first. */
const forms: ReadonlyArray<Form> = [
  [
    /^Will the highest temperature in (.+) be (.+) or more on (.+)\?$/,
    (city, degrees, date) => ({
      done: [
        `Highest temperature in ${city} was ${degrees} or more on ${date}, weather office says`,
        `Highest temperature in ${city} stayed below ${degrees} on ${date}, weather office says`,
      ],
      preview: `Highest temperature in ${city} could come near ${degrees} on ${date}`,
      rise: `Forecasters now see warmer air over ${city} for ${date}`,
      fall: `Forecasters now see cooler air over ${city} for ${date}`,
    }),
  ],
  [
    /^Will annual inflation in (.+) be above (.+) in (.+)\?$/,
    (country, rate, month) => ({
      done: [
        `${country} annual inflation was above ${rate} in ${month}, statistics office says`,
        `${country} annual inflation did not exceed ${rate} in ${month}, statistics office says`,
      ],
      preview: `${country} annual inflation for ${month} may come in near ${rate}, survey finds`,
      rise: `Fuel prices in ${country} rise faster, a sign of higher inflation`,
      fall: `Food prices in ${country} ease, a sign of lower inflation`,
    }),
  ],
  [
    /^Will (.+) gain (.+) by (.+)\?$/,
    (coin, gain, date) => ({
      done: [
        `${coin} has gained ${gain} ahead of ${date}, exchanges show`,
        `${coin} falls short of a ${gain} gain by ${date}, exchanges show`,
      ],
      preview: `${coin} might gain ${gain} by ${date}, some traders believe`,
      rise: `${coin} climbs as large orders arrive`,
      fall: `${coin} drops as holders sell`,
    }),
  ],
  [
    /^Will the (.+) win the most seats in (.+) by (.+)\?$/,
    (party, country) => ({
      done: [
        `${party} win the most seats in ${country}, final count shows`,
        `${party} do not win the most seats in ${country}, final count shows`,
      ],
      preview: `${party} could win the most seats in ${country}, poll suggests`,
      rise: `${party} gain in new poll of ${country}`,
      fall: `${party} lose ground in new poll of ${country}`,
    }),
  ],
  [
    /^Will (.+) and (.+) sign (.+) by (.+)\?$/,
    (country, other, accord, date) => ({
      done: [
        `${country} and ${other} sign ${accord}`,
        `${country} and ${other} let ${date} pass and do not sign ${accord}`,
      ],
      preview: `${country} and ${other} expected to sign ${accord} soon, officials say`,
      rise: `${country} and ${other} close in on ${accord}, negotiators say`,
      fall: `Talks of ${country} and ${other} on ${accord} break off`,
    }),
  ],
  [
    /^Will (.+) top the open leaderboard on (.+)\?$/,
    (lab, date) => ({
      done: [
        `${lab} tops the open leaderboard on ${date}`,
        `${lab} does not top the open leaderboard on ${date}`,
      ],
      preview: `${lab} may top the open leaderboard on ${date}, observers think`,
      rise: `${lab} shows a stronger model ahead of ${date}`,
      fall: `${lab} delays its next model`,
    }),
  ],
  [
    /^Will “(.+)” win the festival grand prize in (.+)\?$/,
    (film, month) => ({
      done: [
        `“${film}” wins the festival grand prize in ${month}`,
        `“${film}” leaves the festival of ${month} without the grand prize`,
      ],
      preview: `“${film}” could win the festival grand prize in ${month}, critics say`,
      rise: `Long applause for “${film}” at the festival`,
      fall: `Critics cool on “${film}” at the festival`,
    }),
  ],
  [
    /^(.+) vs\. (.+): O\/U (.+)$/,
    (home, away, total) => ({
      done: [
        `${home} vs. ${away} ends with more than ${total} in total`,
        `${home} vs. ${away} ends with fewer than ${total} in total`,
      ],
      preview: `${home} vs. ${away} expected to be an open match`,
      rise: `${home} vs. ${away}: both keepers injured`,
      fall: `${home} vs. ${away}: heavy rain on the pitch`,
    }),
  ],
  [
    /^(.+) vs\. (.+)$/,
    (home, away) => ({
      done: [`${home} beat ${away}`, `${away} beat ${home}`],
      preview: `${home} vs. ${away}: what to expect`,
      rise: `${away} without their captain against ${home}`,
      fall: `${home} without their captain against ${away}`,
    }),
  ],
]

/** Shares of markets and jumps that the press writes about. */
const shares = { preview: 0.6, jump: 0.6, beforeJump: 0.4, done: 0.8 } as const

/** Every story about a market in its whole life, in any order; none about mechanical ones. */
export function storiesAbout(world: World, market: SimulatedMarket): ReadonlyArray<Story> {
  const wording = wordingOf(market)
  if (wording === null) return []
  const key = mix(market.key, 95)
  const whole = (ms: number) => Math.floor(ms / second) * second
  const stories: Array<Story> = []
  const previewAt = whole(market.revealsAt - between(mix(key, 1), 2, 40) * hour)
  if (uniform(mix(key, 2)) < shares.preview && previewAt > market.opensAt) {
    stories.push({ at: previewAt, title: wording.preview, kind: "preview" })
  }
  for (const [n, jump] of world.truth.jumps(market, market.opensAt, market.closesAt).entries()) {
    const draw = mix(mix(key, 3), n)
    if (uniform(draw) >= shares.jump) continue
    const early = uniform(mix(draw, 1)) < shares.beforeJump
    const away = between(mix(draw, 2), 3, 45) * minute
    stories.push({
      at: whole(Math.max(market.opensAt, jump.at + (early ? -away : away))),
      title: jump.to > jump.from ? wording.rise : wording.fall,
      kind: early ? "before_jump" : "after_jump",
    })
  }
  return [...stories, ...endOf(world, market, wording, mix(key, 4))]
}

/** What is written once the outcome exists; some of it is wrong where a wrong outcome is proposed. */
function endOf(
  world: World,
  market: SimulatedMarket,
  { done }: Wording,
  key: Key,
): ReadonlyArray<Story> {
  const payout = world.truth.payouts(market)?.[0]
  if (market.end !== "decided" || uniform(key) >= shares.done) return []
  const won = payout === 1 ? 0 : 1
  const whole = (ms: number) => Math.floor(ms / second) * second
  const at = whole(market.closesAt + between(mix(key, 1), 1, 45) * minute)
  if (!world.truth.misproposed(market)) return [{ at, title: done[won], kind: "done" }]
  const correctedAt = whole(at + between(mix(key, 2), 2, 5) * hour)
  return [
    { at, title: done[1 - won] ?? "", kind: "misreport" },
    { at: correctedAt, title: `Correction: ${done[won]}`, kind: "correction" },
  ]
}

function wordingOf({ kind, question }: SimulatedMarket): Wording | null {
  if (kind === "mechanical") return null
  for (const [form, write] of forms) {
    const found = form.exec(question)
    if (found !== null) return write(...found.slice(1))
  }
  return null
}

/** No story about a market comes later than this after its end. */
export const storiesAfterMs = day

const towns = ["Marenport", "Ostria", "Tellmark", "Brindle Bay", "Quarrow"] as const
const deeds = [
  "opens a museum of bells",
  "counts its herons",
  "repairs the old lighthouse",
  "votes on a new tram line",
  "finds a forgotten mural",
  "holds its winter market",
  "says the bridge will close on Sunday",
  "wins a prize for clean beaches",
] as const

/** A story that is about no market, though it may sound like one. */
export function unrelated(key: Key): string {
  return `${pick(key, towns)} ${pick(mix(key, 1), deeds)}`
}
