/**
 * Whether the words of a headline favour an outcome: laws, and labelled examples with the measured
 * precision. The labels were written before the rule was run on them; three wrong ones of the first run were
 * then mended in the rule, and so were three of 44 in the pairs of `plantedPairs.ts`, which it had not seen.
 * All headlines are invented.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { type Bearing, bearingOf, resultOf } from "../../../src/news/domain/bearing.ts"
import { law } from "../../support/effect.ts"

type Expected = "for" | "against" | "none"

/** By question: its outcome (Yes when none), then titles with what they are for it. */
const cases: ReadonlyArray<
  readonly [question: string, outcome: string, titles: ReadonlyArray<readonly [Expected, string]>]
> = [
  ["Will annual inflation in Kenya be above 4.6% in November 2026?", "Yes", [
    ["for", "Fuel prices in Kenya rise faster, a sign of higher inflation"],
    ["for", "Kenyan consumer prices rose faster last month, statistics bureau says"],
    ["for", "Inflation in Kenya was above 4.8% in November"],
    ["against", "Food prices in Kenya ease, a sign of lower inflation"],
    ["against", "Inflation slows in Kenya for third month"],
    ["against", "Kenya's annual inflation did not exceed 4.6% in November"],
    ["against", "Inflation in Kenya fell below 4% in November"],
    ["none", "Inflation in Kenya fell below 5% in November"],
    ["none", "Kenya's inflation seen near 4.6% in November, survey finds"],
    ["none", "Kenyan shares rise as rates ease"],
    ["none", "Inflation in Nigeria eases for third month"],
  ]],
  ["Will annual inflation in Kenya be below 4.6% in November 2026?", "Yes", [
    ["for", "Food prices in Kenya ease, a sign of lower inflation"],
    ["against", "Kenyan inflation accelerates"],
  ]],
  ["Will the highest temperature in Lisbon be 21°C or more on November 24?", "Yes", [
    ["for", "Forecasters now see warmer air over Lisbon for November 24"],
    ["against", "Forecasters now see cooler air over Lisbon for November 24"],
    ["against", "Cold front to chill Lisbon on Tuesday"],
    ["none", "Lisbon readies parks for a sunny week"],
    ["none", "Warm days and cold nights ahead in Lisbon"],
    ["none", "Warmer air over Madrid"],
  ]],
  ["Will Bitcoin reach $150,000 in November?", "Yes", [
    ["for", "Bitcoin climbs as large orders arrive"],
    ["against", "Bitcoin rally stalls below record high"],
    ["for", "Bitcoin price jumps after quiet week"],
    ["against", "Bitcoin slides below $90,000 as traders flee risk"],
    ["against", "Bitcoin does not rise after fund launch"],
    ["none", "Bitcoin miner cuts staff as power price rises"],
    ["none", "Will Bitcoin rise this winter?"],
    ["none", "Gold falls while Bitcoin holds"],
    ["none", "Bitcoin conference opens in Lugano"],
  ]],
  ["Will Bitcoin dip to $60,000 in November?", "Yes", [
    ["for", "Bitcoin slides below $90,000 as traders flee risk"],
    ["against", "Bitcoin rallies on fund inflows"],
  ]],
  ["Will the Civic Alliance win the most seats in Peru by December 1?", "Yes", [
    ["for", "Civic Alliance gain in new poll of Peru"],
    ["for", "Civic Alliance widens lead in new poll of Peru"],
    ["for", "Peruvian voters drift to Civic Alliance, survey finds"],
    ["for", "Civic Alliance could win the most seats in Peru, poll suggests"],
    ["against", "Civic Alliance lose ground in new poll of Peru"],
    ["against", "Civic Alliance do not win the most seats in Peru, final count shows"],
    ["against", "Civic Alliance unlikely to win most seats, pollster says"],
    ["against", "Civic Alliance trails with a week to go"],
    ["none", "Civic Alliance watches Reform Union gain in new poll"],
    ["none", "Reform Union gain in new poll of Peru"],
    ["none", "Civic Alliance leader promises tax cut in final campaign week"],
    ["none", "Civic Alliance vows to win most seats in Peru"],
    ["none", "What if Civic Alliance win the most seats"],
  ]],
  ["Will the Civic Alliance win the most seats in Peru by December 1?", "No", [
    ["against", "Civic Alliance gain in new poll of Peru"],
    ["for", "Civic Alliance lose ground in new poll of Peru"],
  ]],
  ["Will Norway and Portugal sign a fisheries treaty by November 24?", "Yes", [
    ["for", "Norway and Portugal expected to sign a fisheries treaty soon, officials say"],
    ["for", "Norwegian and Portuguese ministers close in on fisheries treaty"],
    ["against", "Talks of Norway and Portugal on a fisheries treaty break off"],
    ["against", "Norway and Portugal let November 24 pass and do not sign a fisheries treaty"],
    ["against", "Norway and Portugal refuse to sign fisheries treaty"],
    ["none", "Norway and Portugal urged to sign fisheries treaty"],
    ["none", "Norway and Portugal meet in handball final"],
    ["none", "Norway and Spain close in on a fisheries treaty"],
  ]],
  ["Will 'Lantern Year' win the festival grand prize in December 2026?", "Yes", [
    ["for", "Long applause for 'Lantern Year' at the festival"],
    ["for", "'Lantern Year' could win the festival grand prize, critics say"],
    ["against", "Critics cool on 'Lantern Year' at the festival"],
    ["against", "'Lantern Year' leaves the festival of December 2026 without the grand prize"],
    ["none", "'Lantern Year' opens in forty cities"],
    ["none", "'Low Tide' wins the festival grand prize"],
  ]],
  ["Will Lab Meridian top the open leaderboard on December 1?", "Yes", [
    ["for", "Lab Meridian shows a stronger model ahead of December 1"],
    ["for", "Lab Meridian may top the open leaderboard on December 1, observers think"],
    ["against", "Lab Meridian delays its next model"],
    ["against", "Lab Meridian does not top the open leaderboard"],
    ["none", "Lab Meridian hires a new head of safety"],
  ]],
  ["Quarry Wolves vs. Harbor City Gulls", "Quarry Wolves", [
    ["for", "Quarry Wolves beat Harbor City Gulls"],
    ["for", "Harbor City Gulls without their captain against Quarry Wolves"],
    ["against", "Harbor City Gulls beat Quarry Wolves"],
    ["against", "Quarry Wolves lose to Harbor City Gulls"],
    ["against", "Quarry Wolves without their captain against Harbor City Gulls"],
    ["none", "Quarry Wolves beat Cavern Foxes"],
    ["none", "Quarry Wolves vs. Harbor City Gulls: what to expect"],
  ]],
  ["Quarry Wolves vs. Cavern Foxes: O/U 1.5", "Over", [
    ["for", "Quarry Wolves vs. Cavern Foxes ends with more than 1.5 in total"],
    ["against", "Quarry Wolves vs. Cavern Foxes ends with fewer than 1.5 in total"],
    ["none", "Quarry Wolves vs. Cavern Foxes: heavy rain on the pitch"],
  ]],
  ["Will Emmanuel Macron resign before the end of the year?", "Yes", [
    ["none", "Pressure mounts on Emmanuel Macron to resign after budget defeat"],
    ["none", "Emmanuel Macron loses ground in poll"],
    ["none", "Emmanuel Macron opens restored abbey in Normandy"],
  ]],
  ["Will the US invade Cuba in 2026?", "Yes", [
    ["against", "US rules out plan to invade Cuba"],
    ["none", "US threatens to invade Cuba"],
    ["none", "US and Cuba reopen postal service"],
    ["none", "US would invade Cuba only if attacked, officer says"],
  ]],
  ["Israel x Hamas ceasefire by December 31?", "Yes", [
    ["none", "Ceasefire holds in eastern Congo, monitors say"],
  ]],
  ["Will OpenAI release GPT-6 by January 31?", "Yes", [
    ["against", "OpenAI delays release of GPT-6, sources say"],
    ["for", "OpenAI to release GPT-6 in January"],
  ]],
  ["US government shutdown before February?", "Yes", [
    ["against", "House passes stopgap bill to prevent US government shutdown"],
  ]],
  ["Will Ana Silva win the 2026 Lagos mayoral election?", "Yes", [
    ["for", "Ana Silva takes the lead in Lagos mayoral race"],
    ["for", "Union endorses Ana Silva for Lagos mayor"],
    ["for", "Ana Silva wins Lagos mayoral election"],
    ["against", "Ana Silva drops out of Lagos mayoral race"],
    ["against", "Setback for Ana Silva as ally is arrested"],
    ["none", "Rival of Ana Silva gains ground"],
    ["none", "Ana Silva gains weight after illness"],
    ["none", "Ana Silva debates Tunde Bello in Lagos"],
  ]],
]

const labelled = cases.flatMap(([question, outcome, titles]) =>
  titles.map(([expected, title]) => ({
    question,
    expected,
    title,
    found: bearingOf(title, question, outcome) ?? "none",
  }))
)

Deno.test("bearingOf() is right in at least 97 % of the titles that it judges", () => {
  const judged = labelled.filter(({ found }) => found !== "none")
  const wrong = judged.filter(({ expected, found }) => found !== expected)
  const known = labelled.filter(({ expected }) => expected !== "none")
  const missed = known.filter(({ found }) => found === "none")
  const text = JSON.stringify({ wrong, missed }, null, 1)
  ok(labelled.length >= 60 && judged.length >= 40, text)
  ok(judged.length - wrong.length >= 0.97 * judged.length, text)
  ok(missed.length <= 0.15 * known.length, text)
})

/** Ordinary headlines with words that often mean something else, by question: for Yes, or not at all. */
const ordinary: ReadonlyArray<
  readonly [question: string, titles: ReadonlyArray<readonly [Expected, string]>]
> = [
  ["Will Arsenal win the Champions League?", [
    ["for", "Arsenal knock out Bayern to reach Champions League semi-final"],
    ["against", "Arsenal knocked out of Champions League by Bayern"],
    ["for", "Arsenal thrash Inter to reach Champions League quarter-finals"],
    ["against", "Arsenal eliminated from Champions League"],
    ["for", "Arsenal eliminate Real Madrid from Champions League"],
    ["none", "Arsenal drop captain for Champions League tie"],
    ["for", "Arsenal favourite to win Champions League, bookmakers say"],
    ["none", "Arsenal sign midfielder ahead of Champions League opener"],
  ]],
  ["Will France win the World Cup?", [
    ["for", "France eliminate Brazil from World Cup"],
    ["against", "France eliminated by Brazil at World Cup"],
    ["none", "France name squad for World Cup"],
    ["against", "France crash out of World Cup after penalty loss"],
    ["for", "France beat Morocco to reach World Cup final"],
    ["none", "France drop Pogba from World Cup squad"],
    ["for", "France knock holders Argentina out of World Cup"],
  ]],
  ["Will US inflation be above 3.0% in November?", [
    ["for", "US inflation eases to 3.2%"],
    ["against", "US inflation rises to 2.8%"],
    ["for", "US inflation cools less than expected"],
    ["for", "US inflation rises more than forecast"],
    ["against", "US inflation slows more than expected in October"],
    ["none", "US inflation rises 0.3% in October"],
    ["against", "US inflation falls to 2.4% from 2.9%"],
    ["none", "Fed cuts rates to 3.5% as US inflation eases"],
    ["against", "US inflation was 2.9% in November"],
    ["for", "US inflation accelerates to 3.4% in November"],
    ["none", "US core inflation eases to 3.2%"],
    ["against", "US inflation slows for third month"],
    ["for", "US consumer prices climb faster than expected"],
    ["for", "US inflation hits 3.3%"],
    ["none", "US inflation unchanged at 3.0%"],
  ]],
  ["Will US unemployment be below 4.5% in December?", [
    ["for", "US unemployment rises to 4.3%"],
    ["against", "US unemployment falls to 4.6%"],
    ["against", "US jobless rate climbs"],
    ["none", "US youth unemployment falls to 4.1%"],
    ["for", "US unemployment drops"],
  ]],
  ["Will Tesla close above $400?", [
    ["none", "Tesla drops lawsuit against former engineer"],
    ["none", "Tesla gains approval for robotaxi service"],
    ["against", "Tesla drops after weak delivery figures"],
    ["for", "Tesla jumps 6% after earnings"],
    ["none", "Tesla climbs ranking of safest carmakers"],
    ["none", "Tesla slips out of top ten carmakers"],
    ["none", "Tesla falls behind BYD in Europe"],
    ["none", "Tesla drops price of Model 3"],
    ["none", "Tesla advances plan for Texas plant"],
    ["none", "Tesla crash in Texas kills two"],
    ["none", "Tesla retreats from India plan"],
    ["none", "Tesla gains on BYD in China"],
    ["none", "Tesla rallies owners against tax"],
    ["against", "Tesla slides below $350 as investors sell"],
    ["for", "Tesla soars to record high"],
    ["for", "Tesla rises to $410"],
    ["none", "Tesla hits record deliveries"],
    ["none", "Tesla slashes range claims"],
    ["none", "Tesla dips toe in insurance market"],
    ["none", "Tesla falls to third in brand survey"],
  ]],
  ["Will Bitcoin reach $150,000 in November?", [
    ["none", "Bitcoin gains legal status in Brazil"],
    ["for", "Bitcoin rises to $120,000"],
    ["against", "Bitcoin drops 8% in a day"],
    ["against", "Bitcoin slumps as funds sell"],
    ["none", "Bitcoin falls out of favour with banks"],
    ["none", "Bitcoin advances bill in Texas senate"],
    ["for", "Bitcoin surges past $140,000"],
    ["for", "Bitcoin jumps on ETF inflows"],
    ["against", "Bitcoin tumbles from record high"],
    ["none", "Bitcoin climbs list of largest assets"],
    ["none", "Bitcoin gains backing of pension fund"],
  ]],
  ["Will Ethereum be above $4,000 on December 1?", [
    ["none", "Ethereum rises less than Bitcoin"],
    ["against", "Ethereum falls below $3,500"],
    ["none", "Ethereum drops proof of work"],
    ["none", "Ethereum gains users in Asia"],
  ]],
  ["Will gold close above $4,000?", [["for", "Gold climbs as dollar weakens"], [
    "none",
    "Gold rally fuels mining deals",
  ], ["none", "Gold gains appeal as hedge"]]],
  ["Will the Labour Party win the most seats in the UK?", [
    ["none", "Labour Party drops pledge on tax"],
    ["against", "Labour Party loses ground in UK poll"],
    ["none", "Labour Party eliminates membership fee in UK"],
    ["none", "Labour Party withdraws whip from MP"],
  ]],
  ["Will Marie Dupont win the French election?", [
    ["none", "Marie Dupont knocks out rival Henri Blanc in French election debate"],
    ["against", "Marie Dupont knocked out of French election race"],
    ["against", "Marie Dupont concedes French election"],
    ["none", "Marie Dupont eliminates tax break in French election plan"],
  ]],
  ["Will GDP growth in Germany be above 1.0%?", [["against", "GDP in Germany rises to 0.4%"], [
    "none",
    "German GDP grows 0.2% in quarter",
  ]]],
  ["Will the highest temperature in Lisbon be 21°C or more on November 24?", [[
    "against",
    "Lisbon temperature climbs to 18°C",
  ], ["none", "Lisbon to cool to 23°C"]]],
  ["Will US inflation be above 3.0% in December?", [
    ["none", "Dow gains 500 points as US inflation report nears"],
    ["against", "US inflation slips below 3%"],
    ["none", "US inflation stays above 2%"],
    ["for", "US inflation stays above 3%"],
    ["none", "US inflation: Treasury yields rise"],
    ["none", "Minister touts lower US inflation"],
    ["none", "Fed keeps US inflation target at 2%"],
    ["for", "US inflation stuck at 3.4%"],
    ["none", "Stocks gain 500 points, US inflation data due"],
    ["none", "Fed official says US inflation fight not over"],
    ["none", "Fed lower rates despite US inflation rise"],
    ["none", "US inflation eases grip on voters"],
    ["against", "US inflation eases"],
    ["against", "US stocks rise as inflation cools"],
    ["for", "Fed expected to slow hikes as US inflation rises"],
    ["none", "US wage growth slower than inflation"],
  ]],
  ["Will Tesla close above $400 this week?", [
    ["none", "Tesla gains 500 jobs at Texas plant"],
    ["none", "Tesla tops 450 superchargers in Norway"],
    ["none", "Tesla over 400 staff cut"],
    ["none", "Tesla hits 1 million cars"],
    ["none", "Tesla to rise or fall with AI bet"],
    ["none", "Tesla fined $410 million"],
    ["none", "Tesla recall grows after fall in safety score"],
  ]],
  ["Will Israel and Hamas sign a ceasefire deal by March?", [
    ["none", "Israel rejects claim it broke Hamas ceasefire deal"],
    ["none", "Hamas and Israel delay hostage list in ceasefire deal"],
    ["against", "Israel and Hamas ceasefire deal talks collapse"],
    ["for", "Israel and Hamas close to ceasefire deal"],
    ["none", "Israel denies Hamas ceasefire deal is near collapse"],
    ["none", "Israel suspends officer as Hamas ceasefire deal talks go on"],
    ["for", "Israel and Hamas agree to ceasefire deal"],
  ]],
  ["Will Apple release a foldable iPhone by June?", [
    ["none", "Apple drops plan"],
    ["against", "Apple delays foldable iPhone"],
    ["against", "Apple delays release of foldable iPhone"],
    ["none", "Apple releases iPhone update"],
    ["for", "Apple to release foldable iPhone in May"],
  ]],
  ["Will Jane Doe resign in 2026?", [
    ["none", "Jane Doe refuses to comment on calls to resign"],
    ["against", "Jane Doe rules out plan to resign"],
    ["against", "Jane Doe will not resign"],
    ["none", "Jane Doe urged to resign by Trump"],
  ]],
  ["Will the Lakers win the NBA title?", [
    ["none", "Lakers trail Celtics at half time"],
    ["against", "Lakers fall behind in NBA title race"],
    ["for", "Lakers favourite to win NBA title"],
    ["none", "Lakers withdraw contract offer to guard"],
    ["none", "Lakers eliminate Suns from NBA playoffs"],
    ["none", "Lakers knock out Nuggets"],
    ["against", "Lakers eliminated by Nuggets"],
    ["none", "Lakers pull out all stops"],
    ["none", "Lakers concede nothing, say coach"],
    ["none", "Lakers lead in trade talks"],
    ["for", "Lakers win NBA title"],
    ["against", "Lakers will not win NBA title, says star"],
    ["none", "Lakers delay arena plan"],
    ["none", "Lakers stronger than Celtics"],
    ["none", "Lakers win appeal over NBA title banner"],
  ]],
  ["Will Donald Trump win the Nobel Peace Prize?", [
    ["none", "Trump endorses rival for Nobel Peace Prize"],
    ["none", "Donald Trump cool on Nobel Peace Prize"],
    ["none", "Praise for Donald Trump after summit"],
    ["none", "Donald Trump delays tariffs"],
  ]],
  ["Will the Fed cut rates in December?", [
    ["for", "Fed to cut rates in December, economists say"],
    ["against", "Fed will not cut rates in December"],
    ["none", "Fed cuts staff"],
    ["none", "Banks cut rates ahead of Fed"],
  ]],
]

Deno.test("bearingOf() is never wrong about ordinary headlines, and judges a third of those with a side", () => {
  const judged = ordinary.flatMap(([question, titles]) =>
    titles.map(([expected, title]) => ({
      ...{ question, expected, title },
      found: bearingOf(title, question, "Yes"),
    }))
  )
  const wrong = judged.filter(({ expected, found }) => found !== null && found !== expected)
  equal(wrong, [])
  const known = judged.filter(({ expected }) => expected !== "none")
  ok(known.filter(({ found }) => found !== null).length * 3 >= known.length)
})

const opposite = (bearing: Bearing | null) =>
  bearing === null ? null : bearing === "for" ? "against" : "for"
const from = <A extends string>(values: readonly [A, ...ReadonlyArray<A>]) =>
  Arbitrary.schema(Schema.Literals(values))
const sample = labelled.map(({ question, title }) => ({ question, title }))
const anyPair = Arbitrary.map(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: sample.length - 1 }))),
  (n) => sample[n] ?? { question: "", title: "" },
)

law(
  "bearingOf() of No is the opposite of Yes",
  anyPair,
  ({ question, title }) =>
    equal(bearingOf(title, question, "No"), opposite(bearingOf(title, question, "Yes"))),
)

const names = from(["Civic Alliance", "Ana Silva", "Lab Meridian", "Reform Union"])
law(
  "bearingOf() of a title with a negation is the opposite",
  Arbitrary.all({ name: names, hedge: from(["will", "could", "may", "might"]) }),
  ({ hedge, name }) => {
    const question = `Will ${name} win the grand prize by December 1?`
    equal(bearingOf(`${name} ${hedge} win the grand prize`, question, "Yes"), "for")
    equal(bearingOf(`${name} ${hedge} not win the grand prize`, question, "Yes"), "against")
  },
)

law(
  "bearingOf() of a level that does not change so is the opposite",
  Arbitrary.all({
    verb: from(["rise", "fall", "ease", "slow", "accelerate"]),
    place: from(["Kenya", "Peru", "Norway"]),
  }),
  ({ place, verb }) => {
    const of = (words: string) =>
      bearingOf(`${place} inflation ${words}`, `Will inflation in ${place} be above 4%?`, "Yes")
    ok(of(verb) !== null)
    equal(of(`does not ${verb}`), opposite(of(verb)))
  },
)

law(
  "bearingOf() of a question about less is the opposite of one about more",
  Arbitrary.all({
    words: from([
      "inflation rises",
      "inflation eases",
      "inflation does not fall",
      "inflation slows",
    ]),
    place: from(["Kenya", "Peru", "Norway"]),
  }),
  ({ place, words }) => {
    const of = (way: string) =>
      bearingOf(`${place} ${words}`, `Will inflation in ${place} be ${way} 4% in May?`, "Yes")
    ok(of("above") !== null)
    equal(of("below"), opposite(of("above")))
    equal(of("under"), of("below"))
  },
)

law(
  "bearingOf() is null when it knows no word",
  Arbitrary.all({ pair: anyPair, text: Arbitrary.schema(Schema.String) }),
  ({ pair: { question }, text }) => {
    equal(bearingOf(text.replaceAll(/[a-z\d]/gi, "q"), question, "Yes"), null)
    equal(bearingOf("", question, "Yes"), null)
    equal(bearingOf(text, "", "Yes"), null)
  },
)

Deno.test("resultOf() takes a title for a result only if it reports the whole event of the question", () => {
  const prize = "Will 'The Salt Road' win the festival grand prize in November 2026?"
  const treaty = "Will Poland and Kenya sign a fisheries treaty by November 23?"
  const leaderboard = "Will Lab Meridian top the open leaderboard on December 5?"
  const cases: ReadonlyArray<readonly [string, string, "for" | "against" | null]> = [
    ["'The Salt Road' wins the festival grand prize in November 2026", prize, "for"],
    ["'The Salt Road' has won the festival grand prize", prize, "for"],
    ["'The Salt Road' wins the festival grand prize in December 2026", prize, null],
    ["'The Salt Road' wins a nomination for the festival grand prize", prize, null],
    ["'The Salt Road' could win the festival grand prize", prize, null],
    ["'The Salt Road' does not win the festival grand prize", prize, null],
    ["Applause for 'The Salt Road' at the festival", prize, null],
    ["'Low Tide' wins the festival grand prize in November 2026", prize, null],
    ["'The Salt Road' set to win the festival grand prize", prize, null],
    ["Lab Meridian tops the open leaderboard", leaderboard, null],
    ["Lab Meridian tops the open leaderboard on December 5", leaderboard, "for"],
    ["Poland and Kenya sign a fisheries treaty", treaty, "for"],
    ["Poland and Kenya let November 23 pass and do not sign a fisheries treaty", treaty, "against"],
    ["Poland and Kenya let November 22 pass and do not sign a fisheries treaty", treaty, null],
    ["Poland and Kenya close in on a fisheries treaty", treaty, null],
    ["Poland and Kenya expected to sign a fisheries treaty", treaty, null],
  ]
  for (const [title, question, result] of cases) {
    strictEqual(resultOf(title, question), result, title)
  }
})
law(
  "bearingOf() of a stated figure compares it with the level, whatever its verb",
  Arbitrary.all({
    verb: from(["eases to", "rises to", "slows to", "accelerates to", "was"]),
    tenths: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 }))),
  }),
  ({ tenths, verb }) => {
    const title = `Kenya inflation ${verb} ${(tenths / 10).toFixed(1)}%`
    const found = bearingOf(title, "Will inflation in Kenya be above 5.0%?", "Yes")
    equal(found, tenths === 50 ? null : tenths > 50 ? "for" : "against")
  },
)
