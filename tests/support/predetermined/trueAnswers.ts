/**
 * Answers that the evidence supports, in varied wording: a strict detector must still accept them.
 *
 * The checks were written with these cases in view; `unseenAnswers.ts` has cases that were not.
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
      "Supreme Court has struck down harbor tax",
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
  // Written after the first version of the checks, which read 13 of these 30.
  {
    question: "Will Marta Solis win the presidential election in Peru?",
    headlines: [
      "Marta Solis wins presidential election in Peru",
      "Peru elects Marta Solis president, electoral body confirms",
    ],
    answer: "Yes",
  },
  {
    question: "Will Marta Solis win the presidential election in Peru?",
    siblings: ["Will Hugo Paz win the presidential election in Peru?"],
    headlines: [
      "Hugo Paz wins Peruvian presidential election",
      "Solis concedes defeat to Paz in Peru election",
    ],
    answer: "No",
  },
  {
    question: "Will the Green Accord win the most seats in Norway by November 30?",
    headlines: [
      "Green Accord wins most seats in Norway's parliament",
      "Norway vote: Green Accord comes first with all ballots counted",
    ],
    answer: "Yes",
  },
  {
    question: "Who will win: Saltmarsh United or Quarry Wolves?",
    outcomes: ["Saltmarsh United", "Quarry Wolves"],
    gameStartsAt: "2026-11-20T19:00:00Z",
    headlines: [
      "Saltmarsh United beat Quarry Wolves 2-1",
      "Quarry Wolves lose at Saltmarsh United",
    ],
    answer: "Saltmarsh United",
  },
  {
    question: "Bellhaven Kites vs. Northgate Rovers",
    outcomes: ["Bellhaven Kites", "Northgate Rovers"],
    gameStartsAt: "2026-11-20T19:00:00Z",
    headlines: [
      "Rovers stun Kites with late winner",
      "Northgate Rovers win 1-0 against Bellhaven Kites",
    ],
    answer: "Northgate Rovers",
  },
  {
    question: "Bellhaven Kites vs. Northgate Rovers",
    outcomes: ["Bellhaven Kites", "Northgate Rovers"],
    gameStartsAt: "2026-11-20T19:00:00Z",
    headlines: ["Kites cruise past Rovers", "Bellhaven Kites down Northgate Rovers 4-0"],
    answer: "Bellhaven Kites",
  },
  {
    question: "Will the Cavern Foxes win the league title in November 2026?",
    headlines: ["Cavern Foxes clinch league title", "Foxes win the league after draw at Herons"],
    answer: "Yes",
  },
  {
    question: "Will the Cavern Foxes win the national cup?",
    siblings: ["Will the Quarry Wolves win the national cup?"],
    headlines: ["Quarry Wolves lift national cup", "Wolves beat Foxes to win national cup"],
    answer: "No",
  },
  {
    question: "Will unemployment in Poland be below 5% in October?",
    headlines: [
      "Poland's unemployment falls to 4.8% in October",
      "Unemployment in Poland was 4.8% in October, statistics office says",
    ],
    answer: "Yes",
  },
  {
    question: "Will Ethereum dip to $2,000 by November 30?",
    headlines: ["Ethereum falls below $2,000", "Ethereum drops under $2k as sellers rush out"],
    answer: "Yes",
  },
  {
    question: "Will Solana reach $300 in November?",
    headlines: ["Solana surpasses $300", "Solana climbs above $300 for first time since spring"],
    answer: "Yes",
  },
  {
    question: "Will the highest temperature in Oslo be 8°C or more on November 20?",
    headlines: [
      { title: "Oslo hits 9°C on November 20, warmest of the month", hoursAgo: 9 },
      { title: "Highest temperature in Oslo was 9°C on November 20", hoursAgo: 5 },
    ],
    answer: "Yes",
  },
  {
    question: "Will parliament adopt the ferry law by December 15?",
    headlines: ["Parliament adopts ferry law", "Ferry law passed by parliament after long debate"],
    answer: "Yes",
  },
  {
    question: "Will parliament adopt the ferry law by December 15?",
    headlines: ["Parliament votes through ferry law", "Lawmakers in parliament approve ferry law"],
    answer: "Yes",
  },
  {
    question: "Will the court overturn the harbor tax by December 1?",
    headlines: ["Court overturns harbor tax", "Harbor tax annulled by court"],
    answer: "Yes",
  },
  {
    question: "Will Karl Ost be arrested by December 31?",
    headlines: ["Karl Ost arrested at airport", "Police arrest Karl Ost"],
    answer: "Yes",
  },
  {
    question: "Will Karl Ost leave as finance minister by December 31?",
    headlines: ["Finance minister Karl Ost resigns", "Karl Ost steps down as finance minister"],
    answer: "Yes",
  },
  {
    question: "Will Olga Vane be out as prime minister by December 31?",
    headlines: [
      "Olga Vane quits as prime minister",
      "Prime Minister Vane resigns after budget vote",
    ],
    answer: "Yes",
  },
  {
    question: "Will Japan and Canada sign a grain deal by November 30?",
    headlines: [
      "Japan and Canada seal grain deal",
      "Grain deal signed by Canada and Japan in Ottawa",
    ],
    answer: "Yes",
  },
  {
    question: "Will Lab Ostrava release Ostrava 3 by December 31?",
    headlines: [
      "Lab Ostrava launches Ostrava 3",
      "Ostrava 3 is now open to everyone as Lab Ostrava releases model",
    ],
    answer: "Yes",
  },
  {
    question: "Will Tellmark Air buy Brindle Ferries by December 31?",
    headlines: ["Tellmark Air buys Brindle Ferries", "Brindle Ferries sold to Tellmark Air"],
    answer: "Yes",
  },
  {
    question: "Will the Fed raise rates in November?",
    headlines: ["Fed raises rates by a quarter point", "Fed hikes rates for a third time"],
    answer: "Yes",
  },
  {
    question: "Will the Fed cut rates in November?",
    endsAt: "2026-11-20T19:00:00Z",
    headlines: ["Fed leaves rates unchanged", "Fed holds rates at November meeting"],
    answer: "No",
  },
  {
    question: "Will the bridge of Marenport open by November 30?",
    headlines: ["Bridge of Marenport opens to traffic", "Marenport bridge opened by mayor"],
    answer: "Yes",
  },
  {
    question: "Will Ivo Brand be nominated for the harbor board by November 30?",
    headlines: [
      "Ivo Brand nominated for harbor board",
      "Governor nominates Ivo Brand to harbor board",
    ],
    answer: "Yes",
  },
  {
    question: "Will Dana Roe be convicted by December 31?",
    headlines: ["Dana Roe found guilty", "Jury convicts Dana Roe"],
    answer: "Yes",
  },
  {
    question: "Will the strike of ferry workers end by November 30?",
    headlines: ["Strike of ferry workers ends", "Ferry workers end strike after pay deal"],
    answer: "Yes",
  },
  {
    question: "Will “Paper Harbor” win the festival grand prize in November 2026?",
    headlines: [
      "Festival grand prize goes to “Paper Harbor”",
      "“Paper Harbor” takes top prize at festival",
    ],
    answer: "Yes",
  },
  {
    question: "Will Lab Meridian top the open leaderboard on November 20?",
    endsAt: "2026-11-21T00:00:00Z",
    headlines: [
      { title: "Lab Meridian does not top the open leaderboard on November 20", hoursAgo: 10 },
      { title: "Lab Meridian fails to top open leaderboard", hoursAgo: 8 },
    ],
    answer: "No",
  },
  {
    question: "Ostria x Tellmark ceasefire by December 31?",
    headlines: [
      "Ostria and Tellmark agree to ceasefire",
      "Ceasefire between Tellmark and Ostria takes effect",
    ],
    answer: "Yes",
  },
  {
    question: "Will France win the 2026 World Cup?",
    headlines: [
      "France won World Cup on penalties",
      "France beat Brazil in final match to win World Cup",
    ],
    answer: "Yes",
  },
  {
    question: "Will France win the 2026 World Cup?",
    headlines: [
      "France lose World Cup final to Brazil",
      "France knocked out of World Cup by Brazil",
    ],
    answer: "No",
  },
  {
    question: "Will Ana Silva win the 2026 Lagos mayoral election?",
    headlines: ["Ana Silva wins Lagos mayoral race", "Lagos mayoral election: Ana Silva won"],
    answer: "Yes",
  },
]
