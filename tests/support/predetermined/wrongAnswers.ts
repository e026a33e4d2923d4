/**
 * Answers that the evidence does not support, by class: every one must be refused.
 *
 * In each case the headlines look decisive and the answer cites all of them. The cases were written
 * before the checks that refuse them.
 *
 * @module
 */
import type { PlantedCase } from "./planted.ts"

const gulls = {
  question: "Ironwood Stags vs. Harbor City Gulls",
  outcomes: ["Ironwood Stags", "Harbor City Gulls"],
  gameStartsAt: "2026-11-21T06:00:00Z",
} as const
const portugal = {
  question: "Will the Civic Alliance win the most seats in Portugal by November 21?",
  siblings: ["Will the Reform Union win the most seats in Portugal by November 21?"],
}
const kenya = {
  question: "Will annual inflation in Kenya be above 4.8% in November 2026?",
  endsAt: "2026-11-21T10:00:00Z",
}
const chile = { question: "Will the central bank of Chile cut rates in December?" }
const lisbon = {
  question: "Will the highest temperature in Lisbon be 18°C or more on November 20?",
}
const film = { question: "Will “Lantern Year” win the festival grand prize in November 2026?" }
const cup = { question: "Will the Harbor City Gulls win the league cup?" }
const senate = { question: "Will the Senate pass the harbor bill by November 30?" }
const vane = { question: "Will Prime Minister Olga Vane resign by December 31?" }
const worldCup = { question: "Will France win the 2026 World Cup?" }
const treaty = { question: "Will Norway and Chile sign a fisheries treaty by November 25?" }

export const wrongAnswers: Readonly<Record<string, ReadonlyArray<PlantedCase>>> = {
  "another month": [
    {
      ...chile,
      headlines: [
        "Central bank of Chile cuts rates in November",
        "Chile's central bank lowers rates in November",
      ],
      answer: "Yes",
    },
    {
      ...kenya,
      headlines: [
        "Kenya annual inflation was above 4.8% in October 2026, statistics office says",
        "Annual inflation in Kenya exceeded 4.8% in October",
      ],
      answer: "Yes",
    },
    {
      ...film,
      headlines: [
        "“Lantern Year” wins the festival grand prize in October 2026",
        "October festival: grand prize awarded to “Lantern Year”",
      ],
      answer: "Yes",
    },
    {
      question: "Will unemployment in Poland be below 5% in September?",
      headlines: [
        "Unemployment in Poland fell below 5% in August",
        "Poland unemployment was below 5% in Aug.",
      ],
      answer: "Yes",
    },
    {
      question: "Will Lab Quillon top the open leaderboard in January?",
      headlines: [
        "Lab Quillon tops the open leaderboard in November",
        "Open leaderboard for November: Lab Quillon finished first",
      ],
      answer: "Yes",
    },
    {
      ...chile,
      headlines: [
        "Central bank of Chile cuts rates by a quarter point",
        "Chile's central bank lowers rates",
      ],
      answer: "Yes",
    },
  ],
  "another date or year": [
    {
      ...lisbon,
      headlines: [
        "Highest temperature in Lisbon was 18°C or more on November 19, weather office says",
        "Lisbon temperature reached 18°C or more on November 19",
      ],
      answer: "Yes",
    },
    {
      question: "Will Lab Quillon top the open leaderboard on November 30?",
      headlines: [
        "Lab Quillon tops the open leaderboard on November 20",
        "Open leaderboard: Lab Quillon finished first on November 20",
      ],
      answer: "Yes",
    },
    {
      question: "Will Lab Quillon top the open leaderboard on November 30?",
      headlines: [
        "Lab Quillon tops the open leaderboard",
        "Open leaderboard: Lab Quillon finished first",
      ],
      answer: "Yes",
    },
    {
      ...cup,
      headlines: [
        "In 2019 Harbor City Gulls won the league cup",
        "Gulls crowned league cup champions 2019",
      ],
      answer: "Yes",
    },
    {
      question: "Will the Civic Alliance win the 2027 election in Portugal?",
      headlines: [
        "Civic Alliance won the 2023 election in Portugal",
        "Portugal 2023 election: Civic Alliance wins, recount of history shows",
      ],
      answer: "Yes",
    },
    {
      ...lisbon,
      headlines: [
        "Highest temperature in Lisbon was 18°C or more on 18 November, weather office says",
        "On Nov. 18 Lisbon temperature reached 20°C",
      ],
      answer: "Yes",
    },
  ],
  "another number or threshold": [
    {
      ...kenya,
      headlines: [
        "Kenya annual inflation was above 4.2% in November 2026, statistics office says",
        "Annual inflation in Kenya exceeded 4.2% in November",
      ],
      answer: "Yes",
    },
    {
      ...kenya,
      headlines: [
        "Kenya inflation slows to 4.5% in November",
        "Annual inflation in Kenya was 4.5% in November",
      ],
      answer: "Yes",
    },
    {
      ...kenya,
      headlines: [
        "Kenya inflation rises to 8.4% in November",
        "Annual inflation in Kenya was 8.4% in November",
      ],
      answer: "No",
    },
    {
      question: "Will Bitcoin hit $150,000 by December 31?",
      headlines: ["Bitcoin hits $100,000 by weekend", "Bitcoin tops $100k as buyers return"],
      answer: "Yes",
    },
    {
      question: "Will Bitcoin hit $150,000 by December 31?",
      headlines: ["Bitcoin falls below $150,000", "Bitcoin drops under $150k as buyers leave"],
      answer: "No",
    },
    {
      ...lisbon,
      headlines: [
        "Highest temperature in Lisbon was 16°C on November 20, weather office says",
        "Lisbon temperature reached 16°C on November 20",
      ],
      answer: "Yes",
    },
    {
      question: "Cavern Foxes vs. Quarry Wolves: O/U 3.5",
      outcomes: ["Over", "Under"],
      gameStartsAt: "2026-11-20T18:00:00Z",
      headlines: [
        "Cavern Foxes vs. Quarry Wolves ends with more than 2.5 in total",
        "Quarry Wolves beat Cavern Foxes 2-1",
      ],
      answer: "Over",
    },
    {
      question: "Will the Civic Alliance win more than 60 seats in Portugal?",
      headlines: [
        "Civic Alliance win 51 seats in Portugal, final count shows",
        "Portugal: Civic Alliance takes 51 seats",
      ],
      answer: "Yes",
    },
  ],
  "another place": [
    {
      ...portugal,
      headlines: [
        "Civic Alliance win the most seats in Canada, final count shows",
        "Canada election: Civic Alliance takes most seats",
      ],
      answer: "Yes",
    },
    {
      ...portugal,
      headlines: [
        "Civic Alliance do not win the most seats in Canada, final count shows",
        "Canada: Civic Alliance lose, Reform Union takes most seats",
      ],
      answer: "No",
    },
    {
      ...kenya,
      headlines: [
        "Peru annual inflation was above 4.8% in November 2026, statistics office says",
        "Annual inflation in Peru exceeded 4.8% in November",
      ],
      answer: "Yes",
    },
    {
      ...lisbon,
      headlines: [
        "Highest temperature in Oslo was 18°C or more on November 20, weather office says",
        "Oslo: highest temperature reached 18°C or more on November 20",
      ],
      answer: "Yes",
    },
    {
      question: "Will the central bank of Chile cut rates in November?",
      headlines: [
        "Central bank of Japan cuts rates in November",
        "Japanese central bank lowers rates",
      ],
      answer: "Yes",
    },
    {
      ...treaty,
      headlines: [
        "Norway and Peru sign a fisheries treaty",
        "Fisheries treaty signed by Peru and Norway",
      ],
      answer: "Yes",
    },
    {
      question: "Will Ann Lee be elected mayor of Ostria?",
      headlines: ["Ann Lee elected mayor of Tellmark", "Lee wins Tellmark mayor race"],
      answer: "Yes",
    },
  ],
  "another match": [
    {
      ...gulls,
      headlines: ["Northgate Rovers beat Harbor City Gulls", "Gulls lose to Rovers in cold night"],
      answer: "Ironwood Stags",
    },
    {
      ...gulls,
      headlines: ["Harbor City Gulls beat Cavern Foxes", "Foxes beaten by Gulls"],
      answer: "Harbor City Gulls",
    },
    {
      ...gulls,
      headlines: ["Ironwood Stags beat Harbor City Hawks", "Hawks of Harbor City lose to Stags"],
      answer: "Ironwood Stags",
    },
    {
      ...gulls,
      headlines: [
        "Gulls beat Foxes to earn place against Ironwood Stags",
        "Harbor City Gulls beat Cavern Foxes, Ironwood Stags next",
      ],
      answer: "Harbor City Gulls",
    },
    {
      question: "Will the Bellhaven Kites beat the Lakeside Herons?",
      headlines: ["Bellhaven Kites beat Quarry Wolves", "Wolves lose to Bellhaven Kites"],
      answer: "Yes",
    },
    {
      ...gulls,
      headlines: ["Ironwood Stags women beat Harbor City Gulls women", "Stags U21 beat Gulls U21"],
      answer: "Ironwood Stags",
    },
  ],
  "before the event": [
    {
      ...gulls,
      gameStartsAt: "2026-11-21T17:15:00Z",
      headlines: ["Ironwood Stags beat Harbor City Gulls", "Gulls lose to Stags in season opener"],
      answer: "Ironwood Stags",
    },
    {
      ...gulls,
      gameStartsAt: "2026-11-21T11:00:00Z",
      headlines: [
        { title: "Harbor City Gulls beat Ironwood Stags", hoursAgo: 20 },
        { title: "Stags defeated by Gulls 2-0", hoursAgo: 18 },
      ],
      answer: "Harbor City Gulls",
    },
    {
      question: "Ironwood Stags vs. Harbor City Gulls",
      outcomes: ["Ironwood Stags", "Harbor City Gulls"],
      rules: "This market is about Ironwood Stags vs. Harbor City Gulls, which is to begin at " +
        "2026-11-24 17:15 UTC. It resolves to the outcome that the final result names.",
      headlines: ["Ironwood Stags beat Harbor City Gulls", "Gulls lose to Stags in season opener"],
      answer: "Ironwood Stags",
    },
    {
      question: "Ironwood Stags vs. Harbor City Gulls",
      outcomes: ["Ironwood Stags", "Harbor City Gulls"],
      eventSlug: "nsl-ironwood-stags-harbor-city-gulls-2026-11-24",
      headlines: ["Ironwood Stags beat Harbor City Gulls", "Gulls lose to Stags in season opener"],
      answer: "Ironwood Stags",
    },
    {
      ...chile,
      headlines: ["Central bank of Chile cuts rates", "Chile's central bank lowers rates again"],
      answer: "Yes",
    },
    {
      question: "Will “Lantern Year” win the festival grand prize in December 2026?",
      headlines: [
        "“Lantern Year” wins the festival grand prize",
        "Grand prize of the festival awarded to “Lantern Year”",
      ],
      answer: "Yes",
    },
    {
      question: "Will the highest temperature in Lisbon be 18°C or more on November 22?",
      headlines: [
        "Lisbon temperature reached 18°C or more",
        "Highest temperature in Lisbon hits 18°C",
      ],
      answer: "Yes",
    },
  ],
  "the loser named": [
    {
      ...gulls,
      headlines: ["Ironwood Stags beat Harbor City Gulls", "Gulls lose to Stags in season opener"],
      answer: "Harbor City Gulls",
    },
    {
      ...gulls,
      headlines: ["Harbor City Gulls beaten by Ironwood Stags", "Stags edge Gulls in overtime"],
      answer: "Harbor City Gulls",
    },
    {
      ...cup,
      headlines: [
        "Lakeside Herons beat Harbor City Gulls in league cup final",
        "Gulls lose league cup final to Herons",
      ],
      answer: "Yes",
    },
    {
      ...cup,
      headlines: ["Harbor City Gulls win league cup", "Gulls crowned league cup champions"],
      answer: "No",
    },
    {
      question: "Will the Bellhaven Kites beat the Lakeside Herons?",
      headlines: ["Lakeside Herons beat Bellhaven Kites", "Kites lose to Herons"],
      answer: "Yes",
    },
    {
      question: "Will Ann Lee be elected mayor of Ostria?",
      siblings: ["Will Bob Smith be elected mayor of Ostria?"],
      headlines: ["Bob Smith elected mayor of Ostria", "Smith beats Lee to become Ostria mayor"],
      answer: "Yes",
    },
    {
      question: "Cavern Foxes vs. Quarry Wolves",
      outcomes: ["Cavern Foxes", "Quarry Wolves"],
      gameStartsAt: "2026-11-20T18:00:00Z",
      headlines: ["Foxes fall to Wolves", "Quarry Wolves thrash Cavern Foxes 5-0"],
      answer: "Cavern Foxes",
    },
  ],
  "another side won": [
    {
      ...portugal,
      headlines: [
        "Reform Union win the most seats in Portugal, final count shows",
        "Portugal: Reform Union takes most seats",
      ],
      answer: "Yes",
    },
    {
      ...film,
      headlines: [
        "“Low Tide” wins the festival grand prize",
        "Festival jury gives grand prize to “Low Tide”",
      ],
      answer: "Yes",
    },
    {
      question: "Will Lab Quillon top the open leaderboard on November 20?",
      siblings: ["Will Lab Meridian top the open leaderboard on November 20?"],
      headlines: [
        { title: "Lab Meridian tops the open leaderboard on November 20", hoursAgo: 10 },
        { title: "Open leaderboard: Lab Meridian finished first on November 20", hoursAgo: 6 },
      ],
      answer: "Yes",
    },
    {
      question: "Will the Senate confirm Dana Roe as judge by November 30?",
      headlines: [
        "Senate confirms Ivo Brand as judge",
        "Ivo Brand confirmed by the Senate as judge",
      ],
      answer: "Yes",
    },
    {
      ...vane,
      headlines: [
        "Finance minister Karl Ost resigns",
        "Minister Ost resigns after talks with prime minister Vane",
      ],
      answer: "Yes",
    },
    {
      ...senate,
      headlines: ["House passes harbor bill", "Harbor bill approved by House, now goes to Senate"],
      answer: "Yes",
    },
  ],
  "contradicting texts": [
    {
      ...gulls,
      headlines: ["Ironwood Stags beat Harbor City Gulls", "Gulls beat Stags in season opener"],
      answer: "Ironwood Stags",
    },
    {
      ...gulls,
      headlines: ["Ironwood Stags beat Harbor City Gulls 3-1", "Gulls lose 2-0 to Stags in opener"],
      answer: "Ironwood Stags",
    },
    {
      ...portugal,
      headlines: [
        "Civic Alliance win the most seats in Portugal, final count shows",
        "Portugal election: Civic Alliance takes most seats after all ballots counted",
        "Reform Union win the most seats in Portugal",
      ],
      answer: "Yes",
    },
    {
      ...senate,
      headlines: [
        "Senate passes harbor bill",
        "Harbor bill approved by Senate",
        "Senate rejects harbor bill",
      ],
      answer: "Yes",
    },
    {
      question: "Will Carl Brandt be convicted of fraud by December 31?",
      headlines: [
        "Carl Brandt convicted of fraud",
        "Jury finds Brandt guilty of fraud",
        "Carl Brandt acquitted of fraud",
      ],
      answer: "Yes",
    },
    {
      ...kenya,
      headlines: [
        "Kenya inflation rises to 5.1% in November",
        "Annual inflation in Kenya was 5.9% in November",
      ],
      answer: "Yes",
    },
    {
      question: "Will the central bank of Chile cut rates in November?",
      headlines: [
        "Central bank of Chile cuts rates",
        "Chile's central bank lowers rates by a quarter point",
        "Central bank of Chile keeps rates unchanged",
      ],
      answer: "Yes",
    },
  ],
  "two winners": [
    {
      question: "Will the Reform Union win the most seats in Portugal by November 23?",
      headlines: [
        "Reform Union win the most seats in Portugal, final count shows",
        "Portugal election: Reform Union takes most seats",
        "Civic Alliance win the most seats in Portugal, final count shows",
      ],
      answer: "Yes",
    },
    {
      question: "Will the Cavern Foxes win the national cup?",
      headlines: [
        "Cavern Foxes win national cup",
        "National cup: Foxes crowned champions",
        "Quarry Wolves lift national cup",
      ],
      answer: "Yes",
    },
  ],
  "corrected or denied": [
    {
      ...portugal,
      headlines: [
        "Correction: Civic Alliance win the most seats in Portugal, final count shows",
        "Portugal election: Civic Alliance takes most seats",
      ],
      answer: "Yes",
    },
    {
      ...gulls,
      headlines: [
        "Ironwood Stags beat Harbor City Gulls",
        "Gulls lose to Stags in season opener",
        "CORRECTED: Harbor City Gulls beat Ironwood Stags",
      ],
      answer: "Ironwood Stags",
    },
    {
      ...vane,
      headlines: [
        "Prime Minister Olga Vane resigns",
        "Olga Vane steps down as prime minister",
        "Office denies that Prime Minister Olga Vane resigned",
      ],
      answer: "Yes",
    },
    {
      ...treaty,
      headlines: [
        "Norway and Chile sign a fisheries treaty",
        "Fisheries treaty signed by Chile and Norway",
        "Report that Norway and Chile signed fisheries treaty was false, ministry says",
      ],
      answer: "Yes",
    },
    {
      ...portugal,
      headlines: [
        "Civic Alliance win the most seats in Portugal",
        "Portugal election: Civic Alliance takes most seats",
        "Recount ordered in Portugal after Civic Alliance won most seats",
      ],
      answer: "Yes",
    },
    {
      ...senate,
      headlines: [
        "Senate passes harbor bill",
        "Harbor bill approved by Senate",
        "Agency retracts report that Senate passed harbor bill",
      ],
      answer: "Yes",
    },
  ],
  "one text only": [
    {
      ...portugal,
      headlines: ["Civic Alliance win the most seats in Portugal, final count shows"],
      answer: "Yes",
    },
    {
      ...portugal,
      headlines: [
        "Civic Alliance win the most seats in Portugal, final count shows",
        "Civic Alliance win the most seats in Portugal, final count shows",
        "Civic Alliance win most seats in Portugal, final count shows",
      ],
      answer: "Yes",
    },
    {
      ...gulls,
      headlines: [
        { title: "Ironwood Stags beat Harbor City Gulls", publisher: "One Wire" },
        { title: "Gulls lose to Stags in season opener", publisher: "One Wire" },
      ],
      answer: "Ironwood Stags",
    },
    {
      ...senate,
      headlines: [
        "Senate passes harbor bill",
        "UPDATE 1: Senate passes harbor bill",
        "Senate passes harbor bill - Post",
      ],
      answer: "Yes",
    },
    {
      ...vane,
      headlines: [
        "Prime Minister Olga Vane resigns, One Wire reports",
        "Olga Vane steps down as prime minister, One Wire reports",
      ],
      answer: "Yes",
    },
    {
      ...treaty,
      headlines: [
        "Norway and Chile sign a fisheries treaty",
        "Fisheries treaty expected to be signed by Chile and Norway",
      ],
      answer: "Yes",
    },
  ],
  "another stage or contest": [
    {
      ...cup,
      headlines: [
        "Harbor City Gulls win league cup semi-final",
        "Gulls beat Herons in league cup semifinal",
      ],
      answer: "Yes",
    },
    {
      ...cup,
      headlines: [
        "Harbor City Gulls win first round of league cup",
        "League cup first round: Gulls beat Foxes",
      ],
      answer: "Yes",
    },
    {
      ...film,
      headlines: [
        "“Lantern Year” wins the audience prize at festival",
        "Festival: audience prize awarded to “Lantern Year”",
      ],
      answer: "Yes",
    },
    {
      ...portugal,
      headlines: [
        "Civic Alliance win the most seats in Portugal, exit poll shows",
        "Exit poll: Civic Alliance takes most seats in Portugal",
      ],
      answer: "Yes",
    },
    {
      ...senate,
      headlines: [
        "Senate committee passes harbor bill",
        "Harbor bill approved by Senate committee",
      ],
      answer: "Yes",
    },
    {
      ...gulls,
      headlines: [
        "Ironwood Stags win first half against Harbor City Gulls",
        "Stags beat Gulls in practice match",
      ],
      answer: "Ironwood Stags",
    },
    {
      ...kenya,
      headlines: [
        "Kenya core inflation rises to 5.1% in November",
        "Food inflation in Kenya was above 4.8% in November",
      ],
      answer: "Yes",
    },
  ],
  "one match of a contest": [
    {
      ...worldCup,
      headlines: [
        "France win World Cup match against Brazil",
        "France won the World Cup match on penalties",
      ],
      answer: "Yes",
    },
    {
      ...worldCup,
      headlines: [
        "France lose World Cup match to Senegal",
        "France beaten by Senegal in World Cup match",
      ],
      answer: "No",
    },
    {
      ...worldCup,
      headlines: ["France win first World Cup game", "France win World Cup tie on penalties"],
      answer: "Yes",
    },
    {
      ...worldCup,
      headlines: ["France win against Brazil in World Cup", "France win 2-0 in World Cup"],
      answer: "Yes",
    },
    {
      ...worldCup,
      headlines: ["France beaten by Senegal in World Cup", "France lose to Senegal at World Cup"],
      answer: "No",
    },
    {
      ...worldCup,
      headlines: ["France win World Cup toss", "In World Cup game, France win over Brazil"],
      answer: "Yes",
    },
    {
      ...worldCup,
      headlines: [
        "France knocked out of World Cup by Senegal",
        "Senegal beat France: France eliminated from World Cup",
      ],
      answer: "Yes",
    },
    {
      question: "Will Lando Norris win the Drivers Championship?",
      headlines: [
        "Lando Norris wins race to lead Drivers Championship",
        "Norris wins race, and leads Drivers Championship",
      ],
      answer: "Yes",
    },
    {
      question: "Will Arsenal win the Champions League?",
      headlines: [
        "Arsenal lose to Bayern in Champions League",
        "Arsenal beaten by Bayern in Champions League game",
      ],
      answer: "No",
    },
    {
      question: "Will Ana Silva win the 2026 Lagos mayoral election?",
      headlines: [
        "Ana Silva wins race to enter Lagos mayoral election",
        "Ana Silva wins race to be on ballot in Lagos mayoral election",
      ],
      answer: "Yes",
    },
  ],
  "a denial, or not yet": [
    {
      ...portugal,
      headlines: [
        "Civic Alliance do not win the most seats in Portugal, final count shows",
        "Final result in Portugal: Civic Alliance lose to Reform Union, which takes most seats",
      ],
      answer: "Yes",
    },
    {
      ...treaty,
      headlines: [
        "Norway and Chile do not sign fisheries treaty at summit",
        "Norway and Chile leave talks without fisheries treaty",
      ],
      answer: "No",
    },
    {
      ...senate,
      headlines: [
        "Senate fails to pass harbor bill this week",
        "Senate did not pass harbor bill on Friday",
      ],
      answer: "No",
    },
    {
      question: "Will Bitcoin hit $150,000 by December 31?",
      headlines: ["Bitcoin falls short of $150,000", "Bitcoin did not reach $150k this week"],
      answer: "No",
    },
    {
      ...vane,
      headlines: [
        "Prime Minister Olga Vane has not resigned",
        "Olga Vane did not resign on Friday, party says",
      ],
      answer: "No",
    },
    {
      ...film,
      endsAt: "2026-11-21T08:00:00Z",
      headlines: [
        "“Lantern Year” leaves the festival of November 2026 without the grand prize",
        "Festival ends, “Lantern Year” misses out on grand prize",
      ],
      answer: "Yes",
    },
  ],
  "no completed event": [
    {
      ...portugal,
      headlines: [
        "Civic Alliance could win the most seats in Portugal",
        "Civic Alliance gain in new poll of Portugal",
      ],
      answer: "Yes",
    },
    {
      ...gulls,
      headlines: [
        "Ironwood Stags vs. Harbor City Gulls: what to expect",
        "Stags to beat Gulls, says model",
      ],
      answer: "Ironwood Stags",
    },
    {
      ...treaty,
      headlines: [
        "Norway and Chile close in on a fisheries treaty",
        "Norway and Chile agree to sign fisheries treaty next week",
      ],
      answer: "Yes",
    },
    {
      ...vane,
      headlines: [
        "Opposition demands Prime Minister Olga Vane resigns",
        "Olga Vane survives vote on her resignation",
      ],
      answer: "Yes",
    },
    {
      ...senate,
      headlines: [
        "Senate opens debate on harbor bill",
        "Senate leader launches push for harbor bill",
      ],
      answer: "Yes",
    },
    {
      ...cup,
      headlines: [
        "Harbor City Gulls reach league cup final",
        "Gulls win place in league cup final",
      ],
      answer: "Yes",
    },
  ],
  "invented decisive words": [
    {
      ...gulls,
      headlines: [
        "Ironwood Stags beat Harbor City Gulls 3-1",
        "Gulls lose 3-1 to Stags in season opener",
      ],
      answer: "Ironwood Stags",
      decisiveWords: "Stags beat Gulls",
    },
    {
      ...gulls,
      headlines: [
        "Ironwood Stags beat Harbor City Gulls 3-1",
        "Gulls lose 3-1 to Stags in season opener",
      ],
      answer: "Ironwood Stags",
      decisiveWords: "",
    },
    {
      ...gulls,
      headlines: [
        "Ironwood Stags beat Harbor City Gulls 3-1",
        "Gulls lose 3-1 to Stags in season opener",
      ],
      answer: "Ironwood Stags",
      decisiveWords: "in",
    },
    {
      ...portugal,
      headlines: [
        "Civic Alliance win the most seats in Portugal, final count shows",
        "Portugal election: Civic Alliance takes most seats after all ballots counted",
      ],
      answer: "Yes",
      decisiveWords: "the official result is certified",
    },
    {
      ...portugal,
      headlines: [
        "Civic Alliance win the most seats in Portugal, final count shows",
        "Portugal election: Civic Alliance takes most seats after all ballots counted",
      ],
      answer: "Yes",
      decisiveWords: "l",
    },
  ],
}
