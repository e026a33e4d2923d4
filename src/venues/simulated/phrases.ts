/**
 * What simulated markets are called: questions that read like a venue's, about nobody real.
 *
 * @module
 */
import { type EpochMs, hour } from "../../core/domain/time.ts"
import { type Key, mix, pick, uniform } from "./seed.ts"

/** The words of one event and of the markets in it. */
export interface Phrases {
  readonly category: string
  readonly title: string
  readonly stem: string
  readonly takerFeeRate: number
  readonly sibling: (index: number) => Sibling
}

interface Sibling {
  readonly question: string
  readonly stem: string
  readonly outcomes: readonly [string, string]
}

type Words = readonly [string, ...ReadonlyArray<string>]

const yesNo = ["Yes", "No"] as const
const months =
  "January February March April May June July August September October November December"
    .split(" ")
const cities: Words = ["Lisbon", "Oslo", "Nairobi", "Osaka", "Denver", "Lima", "Perth", "Warsaw"]
const countries: Words = [
  "Norway",
  "Chile",
  "Japan",
  "Kenya",
  "Poland",
  "Portugal",
  "Peru",
  "Canada",
]
const parties: Words = [
  "Civic Alliance",
  "Reform Union",
  "Harvest Party",
  "New Centre",
  "Green Accord",
]
const coins: Words = ["Bitcoin", "Ethereum", "Solana", "Dogecoin"]
const labs: Words = ["Lab Meridian", "Lab Tessera", "Lab Quillon", "Lab Ostrava"]
const films: Words = [
  "The Salt Road",
  "Lantern Year",
  "Low Tide",
  "The Ninth Orchard",
  "Paper Harbor",
]
const clubs: Words = [
  "Harbor City Gulls",
  "Cavern Foxes",
  "Northgate Rovers",
  "Saltmarsh United",
  "Ironwood Stags",
  "Bellhaven Kites",
  "Quarry Wolves",
  "Lakeside Herons",
]

type Author = (key: Key, endsAt: EpochMs) => Phrases

const authors: readonly [Author, ...ReadonlyArray<Author>] = [
  (key, endsAt) => {
    const city = pick(key, cities)
    const base = 14 + Math.floor(uniform(mix(key, 1)) * 16)
    return {
      category: "Weather",
      takerFeeRate: 0.05,
      title: `Highest temperature in ${city} on ${dayOf(endsAt)}?`,
      stem: `highest-temperature-in-${city}-on-${dayOf(endsAt)}`,
      sibling: (index) => ({
        question: `Will the highest temperature in ${city} be ${base + index}°C or more on ` +
          `${dayOf(endsAt)}?`,
        stem: `highest-temperature-in-${city}-on-${dayOf(endsAt)}-${base + index}c`,
        outcomes: yesNo,
      }),
    }
  },
  (key, endsAt) => {
    const country = pick(key, countries)
    const base = 10 + Math.floor(uniform(mix(key, 1)) * 40)
    const level = (index: number) => ((base + 2 * index) / 10).toFixed(1)
    return {
      category: "Economics",
      takerFeeRate: 0.05,
      title: `${country} annual inflation in ${monthOf(endsAt)}?`,
      stem: `${country}-annual-inflation-${monthOf(endsAt)}`,
      sibling: (index) => ({
        question: `Will annual inflation in ${country} be above ${level(index)}% in ` +
          `${monthOf(endsAt)}?`,
        stem: `${country}-inflation-above-${level(index)}-${monthOf(endsAt)}`,
        outcomes: yesNo,
      }),
    }
  },
  (key, endsAt) => {
    const coin = pick(key, coins)
    const base = 40 + Math.floor(uniform(mix(key, 1)) * 90)
    return {
      category: "Crypto",
      takerFeeRate: 0.07,
      title: `What price will ${coin} hit by ${dayOf(endsAt)}?`,
      stem: `what-price-will-${coin}-hit-by-${dayOf(endsAt)}`,
      sibling: (index) => ({
        question: `Will ${coin} gain ${base + 10 * index}% by ${dayOf(endsAt)}?`,
        stem: `will-${coin}-gain-${base + 10 * index}-percent-by-${dayOf(endsAt)}`,
        outcomes: yesNo,
      }),
    }
  },
  (key, endsAt) => {
    const country = pick(key, countries)
    return {
      category: "Politics",
      takerFeeRate: 0.04,
      title: `${country} parliamentary election: most seats`,
      stem: `${country}-parliamentary-election-most-seats`,
      sibling: (index) => ({
        question:
          `Will the ${parties[index % parties.length]} win the most seats in ${country} by ` +
          `${dayOf(endsAt)}?`,
        stem: `will-the-${parties[index % parties.length]}-win-the-most-seats-in-${country}`,
        outcomes: yesNo,
      }),
    }
  },
  (key, endsAt) => {
    const country = pick(key, countries)
    const other = pick(mix(key, 1), countries)
    const topics = ["a fisheries treaty", "a border accord", "a rail agreement", "a grain deal"]
    return {
      category: "Geopolitics",
      takerFeeRate: 0,
      title: `${country} and ${other}: agreements by ${dayOf(endsAt)}`,
      stem: `${country}-${other}-agreements-by-${dayOf(endsAt)}`,
      sibling: (index) => ({
        question: `Will ${country} and ${other} sign ${topics[index % topics.length]} by ` +
          `${dayOf(endsAt)}?`,
        stem: `will-${country}-and-${other}-sign-${topics[index % topics.length]}`,
        outcomes: yesNo,
      }),
    }
  },
  (_key, endsAt) => ({
    category: "Tech",
    takerFeeRate: 0.04,
    title: `Which lab tops the open leaderboard on ${dayOf(endsAt)}?`,
    stem: `which-lab-tops-the-open-leaderboard-${dayOf(endsAt)}`,
    sibling: (index) => ({
      question: `Will ${labs[index % labs.length]} top the open leaderboard on ${dayOf(endsAt)}?`,
      stem: `will-${labs[index % labs.length]}-top-the-open-leaderboard`,
      outcomes: yesNo,
    }),
  }),
  (_key, endsAt) => ({
    category: "Culture",
    takerFeeRate: 0.05,
    title: `Festival grand prize ${monthOf(endsAt)}`,
    stem: `festival-grand-prize-${monthOf(endsAt)}`,
    sibling: (index) => ({
      question: `Will “${films[index % films.length]}” win the festival grand prize in ` +
        `${monthOf(endsAt)}?`,
      stem: `will-${films[index % films.length]}-win-the-festival-grand-prize`,
      outcomes: yesNo,
    }),
  }),
]

/** The words of an ordinary event. */
export function ordinaryPhrases(key: Key, endsAt: EpochMs): Phrases {
  return pick(mix(key, 11), authors)(mix(key, 12), endsAt)
}

/** The words of a match. */
export function matchPhrases(key: Key, startsAt: EpochMs): Phrases {
  const home = Math.floor(uniform(key) * clubs.length)
  const away = home + 1 + Math.floor(uniform(mix(key, 1)) * (clubs.length - 1))
  const names = [clubs[home] ?? clubs[0], clubs[away % clubs.length] ?? clubs[0]] as const
  const title = `${names[0]} vs. ${names[1]}`
  return {
    category: "Sports",
    takerFeeRate: 0.05,
    title,
    stem: `nsl-${names[0]}-${names[1]}-${new Date(startsAt).toISOString().slice(0, 10)}`,
    sibling: (index) =>
      index === 0 ? { question: title, stem: `nsl-${names[0]}-${names[1]}`, outcomes: names } : {
        question: `${title}: O/U ${index}.5`,
        stem: `nsl-${names[0]}-${names[1]}-total-${index}pt5`,
        outcomes: ["Over", "Under"],
      },
  }
}

/** The short names the venue uses in the slugs of its five-minute markets. */
export const mechanicalAssets = [
  ["btc", "Bitcoin"],
  ["eth", "Ethereum"],
  ["sol", "Solana"],
  ["xrp", "XRP"],
  ["doge", "Dogecoin"],
  ["bnb", "BNB"],
  ["hype", "Hyperliquid"],
] as const

export function mechanicalTitle(name: string, from: EpochMs, to: EpochMs): string {
  return `${name} Up or Down - ${dayOf(from)}, ${clockOf(from)}-${clockOf(to)} ET`
}

/** A slug's alphabet: lower case letters, digits and single hyphens. */
export function slugOf(words: string): string {
  return words.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")
}

function dayOf(at: EpochMs): string {
  const date = new Date(at)
  return `${months[date.getUTCMonth()]} ${date.getUTCDate()}`
}

function monthOf(at: EpochMs): string {
  const date = new Date(at)
  return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** Time of day at UTC-5, as the venue writes it. */
function clockOf(at: EpochMs): string {
  const date = new Date(at - 5 * hour)
  const hours = date.getUTCHours()
  const minutes = date.getUTCMinutes().toString().padStart(2, "0")
  return `${hours % 12 === 0 ? 12 : hours % 12}:${minutes}${hours < 12 ? "AM" : "PM"}`
}
