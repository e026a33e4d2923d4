/**
 * Answers that the evidence supports, in varied wording: a strict detector must still accept them.
 *
 * The cases were written before the checks they test.
 *
 * @module
 */
import type { PlantedCase } from "./planted.ts"

export const trueAnswers: ReadonlyArray<PlantedCase> = [
  // Elections and other contests with one winner.
  {
    question: "Will the Civic Alliance win the most seats in Portugal by November 21?",
    headlines: [
      "Civic Alliance win the most seats in Portugal, final count shows",
      "Portugal election: Civic Alliance takes most seats after all ballots counted",
    ],
    answer: "Yes",
  },
  {
    question: "Will the Civic Alliance win the most seats in Portugal by November 21?",
    headlines: [
      "Civic Alliance do not win the most seats in Portugal, final count shows",
      "Final result in Portugal: Civic Alliance lose to Reform Union, which takes most seats",
    ],
    siblings: ["Will the Reform Union win the most seats in Portugal by November 21?"],
    answer: "No",
  },
  {
    question: "Will the Civic Alliance win the most seats in Portugal by November 21?",
    siblings: ["Will the Reform Union win the most seats in Portugal by November 21?"],
    headlines: [
      "Reform Union win the most seats in Portugal, final count shows",
      "Portugal: Reform Union won the most seats, electoral commission confirms",
    ],
    answer: "No",
  },
  {
    question: "Will Ann Lee be elected mayor of Ostria?",
    headlines: [
      "Ann Lee elected mayor of Ostria in landslide",
      "Lee wins Ostria mayor race, Bob Smith concedes",
    ],
    answer: "Yes",
  },
  {
    question: "Will Ann Lee be elected mayor of Ostria?",
    siblings: ["Will Bob Smith be elected mayor of Ostria?"],
    headlines: [
      "Bob Smith elected mayor of Ostria",
      "Ostria mayor: Smith declared winner by election board",
    ],
    answer: "No",
  },
  {
    question: "Will Lab Quillon top the open leaderboard on November 20?",
    siblings: ["Will Lab Meridian top the open leaderboard on November 20?"],
    headlines: [
      { title: "Lab Quillon tops the open leaderboard on November 20", hoursAgo: 10 },
      { title: "Open leaderboard: Lab Quillon finished first on November 20", hoursAgo: 6 },
    ],
    answer: "Yes",
  },
  {
    question: "Will “Lantern Year” win the festival grand prize in November 2026?",
    headlines: [
      "“Lantern Year” wins the festival grand prize",
      "Grand prize of the festival awarded to “Lantern Year”",
    ],
    answer: "Yes",
  },
  {
    question: "Will “Lantern Year” win the festival grand prize in November 2026?",
    endsAt: "2026-11-21T08:00:00Z",
    headlines: [
      "“Lantern Year” leaves the festival of November 2026 without the grand prize",
      "Festival ends, “Lantern Year” misses out on grand prize",
    ],
    answer: "No",
  },
  {
    question: "Will “Lantern Year” win the festival grand prize in November 2026?",
    siblings: ["Will “Low Tide” win the festival grand prize in November 2026?"],
    headlines: [
      "“Low Tide” wins the festival grand prize in November 2026",
      "Festival jury gives grand prize to “Low Tide”",
    ],
    answer: "No",
  },
  // Matches.
  {
    question: "Ironwood Stags vs. Harbor City Gulls",
    outcomes: ["Ironwood Stags", "Harbor City Gulls"],
    gameStartsAt: "2026-11-21T06:00:00Z",
    headlines: [
      "Ironwood Stags beat Harbor City Gulls 3-1",
      "Gulls lose 3-1 to Stags in season opener",
    ],
    answer: "Ironwood Stags",
  },
  {
    question: "Ironwood Stags vs. Harbor City Gulls",
    outcomes: ["Ironwood Stags", "Harbor City Gulls"],
    gameStartsAt: "2026-11-21T06:00:00Z",
    headlines: [
      "Gulls edge Stags in overtime thriller",
      "Ironwood Stags fall to Harbor City Gulls",
    ],
    answer: "Harbor City Gulls",
  },
  {
    question: "Ironwood Stags vs. Harbor City Gulls",
    outcomes: ["Ironwood Stags", "Harbor City Gulls"],
    gameStartsAt: "2026-11-21T06:00:00Z",
    proposed: { outcome: 1, hoursAgo: 2 },
    headlines: ["Harbor City Gulls beat Ironwood Stags"],
    answer: "Harbor City Gulls",
  },
  {
    question: "Cavern Foxes vs. Quarry Wolves",
    outcomes: ["Cavern Foxes", "Quarry Wolves"],
    gameStartsAt: "2026-11-20T18:00:00Z",
    headlines: [
      "Foxes beaten by Wolves at home",
      "Quarry Wolves defeated Cavern Foxes 2-0 on Friday",
    ],
    answer: "Quarry Wolves",
  },
  {
    question: "Cavern Foxes vs. Quarry Wolves: O/U 2.5",
    outcomes: ["Over", "Under"],
    gameStartsAt: "2026-11-20T18:00:00Z",
    headlines: [
      "Cavern Foxes vs. Quarry Wolves ends with more than 2.5 in total",
      "Quarry Wolves beat Cavern Foxes 3-1",
    ],
    answer: "Over",
  },
  {
    question: "Cavern Foxes vs. Quarry Wolves: O/U 2.5",
    outcomes: ["Over", "Under"],
    gameStartsAt: "2026-11-20T18:00:00Z",
    headlines: ["Foxes beat Wolves 1-0", "Quarry Wolves lose 1-0 at Cavern Foxes"],
    answer: "Under",
  },
  {
    question: "Will the Harbor City Gulls win the league cup?",
    headlines: [
      "Harbor City Gulls win league cup after penalty shootout",
      "Gulls crowned league cup champions",
    ],
    answer: "Yes",
  },
  {
    question: "Will the Harbor City Gulls win the league cup?",
    headlines: [
      "Harbor City Gulls eliminated from league cup",
      "League cup: Gulls knocked out by Lakeside Herons",
    ],
    answer: "No",
  },
  {
    question: "Will the Bellhaven Kites beat the Lakeside Herons?",
    gameStartsAt: "2026-11-20T20:00:00Z",
    headlines: [
      "Bellhaven Kites thrash Lakeside Herons",
      "Herons defeated by Kites in front of record crowd",
    ],
    answer: "Yes",
  },
  // Thresholds.
  {
    question: "Will annual inflation in Kenya be above 4.8% in October 2026?",
    endsAt: "2026-11-21T10:00:00Z",
    headlines: [
      "Kenya annual inflation was above 4.8% in October 2026, statistics office says",
      "Kenya inflation rises to 5.1% in October",
    ],
    answer: "Yes",
  },
  {
    question: "Will annual inflation in Kenya be above 4.8% in October 2026?",
    endsAt: "2026-11-21T10:00:00Z",
    headlines: [
      "Kenya annual inflation did not exceed 4.8% in October 2026, statistics office says",
      "Annual inflation in Kenya slows to 4.4% in October",
    ],
    answer: "No",
  },
  {
    question: "Will Bitcoin hit $150,000 by December 31?",
    headlines: ["Bitcoin hits $150k for the first time", "Bitcoin tops $150,000 as buyers return"],
    answer: "Yes",
  },
  {
    question: "Will the highest temperature in Lisbon be 18°C or more on November 20?",
    headlines: [
      {
        title: "Highest temperature in Lisbon was 18°C or more on November 20, weather office says",
        hoursAgo: 8,
      },
      { title: "Lisbon temperature reached 20°C on November 20", hoursAgo: 6 },
    ],
    answer: "Yes",
  },
  {
    question: "Will the highest temperature in Lisbon be 18°C or more on November 20?",
    proposed: { outcome: 1, hoursAgo: 6 },
    headlines: [{
      title: "Highest temperature in Lisbon stayed below 18°C on November 20, weather office says",
      hoursAgo: 8,
    }],
    answer: "No",
  },
  // Law, politics, diplomacy.
  {
    question: "Will the Senate pass the harbor bill by November 30?",
    headlines: ["Senate passes harbor bill", "Harbor bill approved by Senate in late vote"],
    answer: "Yes",
  },
  {
    question: "Will the Senate pass the harbor bill by November 20?",
    endsAt: "2026-11-20T23:59:00Z",
    headlines: ["Senate rejects harbor bill", "Harbor bill voted down by Senate"],
    answer: "No",
  },
  {
    question: "Will Norway and Chile sign a fisheries treaty by November 25?",
    headlines: [
      "Norway and Chile sign a fisheries treaty",
      "Fisheries treaty signed by Chile and Norway",
    ],
    answer: "Yes",
  },
  {
    question: "Will Norway and Chile sign a fisheries treaty by November 20?",
    endsAt: "2026-11-20T23:00:00Z",
    headlines: [
      "Norway and Chile let November 20 pass and do not sign a fisheries treaty",
      "Deadline passes: Norway and Chile did not sign fisheries treaty",
    ],
    answer: "No",
  },
  {
    question: "Will Prime Minister Olga Vane resign by December 31?",
    headlines: ["Prime Minister Olga Vane resigns", "Olga Vane steps down as prime minister"],
    answer: "Yes",
  },
  {
    question: "Olga Vane out as Prime Minister by December 31?",
    headlines: ["Prime Minister Olga Vane resigns", "Vane ousted as prime minister by her party"],
    answer: "Yes",
  },
  {
    question: "Will the central bank of Chile cut rates in November?",
    headlines: [
      "Central bank of Chile cuts rates by a quarter point",
      "Chile's central bank lowers rates, citing weak growth",
    ],
    answer: "Yes",
  },
  {
    question: "Will the central bank of Chile cut rates in November?",
    endsAt: "2026-11-20T20:00:00Z",
    headlines: [
      "Central bank of Chile holds rates steady",
      "Chile's central bank keeps rates unchanged in November",
    ],
    answer: "No",
  },
  {
    question: "Will Ann Lee be named harbor minister by November 30?",
    headlines: ["President names Ann Lee harbor minister", "Ann Lee appointed as harbor minister"],
    answer: "Yes",
  },
  {
    question: "Will Carl Brandt be convicted of fraud by December 31?",
    headlines: ["Carl Brandt convicted of fraud", "Jury finds Brandt guilty of fraud"],
    answer: "Yes",
  },
  {
    question: "Will Carl Brandt be convicted of fraud by December 31?",
    headlines: ["Jury acquits Carl Brandt of fraud", "Carl Brandt acquitted of fraud"],
    answer: "No",
  },
  {
    question: "Will the Supreme Court strike down the harbor tax by November 30?",
    headlines: [
      "Supreme Court strikes down harbor tax",
      "Harbor tax struck down by Supreme Court, justices divided",
    ],
    answer: "Yes",
  },
  {
    question: "Will Ostria and Tellmark agree a ceasefire by November 30?",
    headlines: [
      "Ostria and Tellmark agree ceasefire",
      "Ceasefire agreed by Tellmark and Ostria after week of talks",
    ],
    answer: "Yes",
  },
  {
    question: "Ostria x Tellmark ceasefire by November 30?",
    headlines: [
      "Ostria and Tellmark sign ceasefire",
      "Ceasefire between Ostria and Tellmark announced",
    ],
    answer: "Yes",
  },
  // Companies and technology.
  {
    question: "Will Lab Tessera release Tessera 5 by November 30?",
    headlines: [
      "Lab Tessera releases Tessera 5",
      "Tessera 5 released by Lab Tessera to the public",
    ],
    answer: "Yes",
  },
  {
    question: "Will Quarrow Motors acquire Brindle Bay Steel by December 31?",
    headlines: [
      "Quarrow Motors acquires Brindle Bay Steel",
      "Quarrow Motors completes purchase of Brindle Bay Steel",
    ],
    answer: "Yes",
  },
  {
    question: "Will the Marenport lander land on the Moon by November 30?",
    headlines: [
      "Marenport lander lands on the Moon",
      "Marenport lander touched down and landed safely on Moon",
    ],
    answer: "Yes",
  },
  {
    question: "Will the Skerry Point lighthouse open by November 30?",
    headlines: [
      "Skerry Point lighthouse opens to visitors",
      "Mayor opened Skerry Point lighthouse on Friday",
    ],
    answer: "Yes",
  },
  {
    question: "Will the Senate confirm Dana Roe as judge by November 30?",
    headlines: ["Senate confirms Dana Roe as judge", "Dana Roe confirmed by the Senate as judge"],
    answer: "Yes",
  },
  {
    question: "Will the Senate confirm Dana Roe as judge by November 30?",
    headlines: [
      "Senate rejects Dana Roe as judge",
      "Dana Roe rejected as judge by Senate in final vote",
    ],
    answer: "No",
  },
  {
    question: "Will Ostria win the most medals at the Winter Games?",
    siblings: ["Will Tellmark win the most medals at the Winter Games?"],
    headlines: [
      "Tellmark win the most medals at Winter Games, final table shows",
      "Winter Games close: Tellmark won most medals",
    ],
    answer: "No",
  },
]
