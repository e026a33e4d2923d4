/**
 * Questions and headlines with hand-written labels of how closely they are related.
 *
 * A headline under another question is unrelated. The labels of `plantedCases` were written before the rule
 * was tuned on them; those of `freshCases` after it. On those it then had a precision of 1 and a recall of
 * .91; two of the misses were defects (`FC` as a club's word, `hike` as a word for rates) and were corrected. All headlines
 * are invented.
 *
 * @module
 */

export interface PlantedCase {
  readonly question: string
  readonly eventSlug: string
  readonly outcomes?: readonly [string, string]
  /** Other questions of its event. */
  readonly siblings?: ReadonlyArray<string>
  readonly direct: ReadonlyArray<string>
  readonly sibling?: ReadonlyArray<string>
  readonly family?: ReadonlyArray<string>
  /** Similar words, another subject. */
  readonly unrelated: ReadonlyArray<string>
}

export const plantedCases: ReadonlyArray<PlantedCase> = [
  {
    question: "Will the Civic Alliance win the most seats in Japan by December 6?",
    eventSlug: "japan-parliamentary-election-most-seats",
    siblings: [
      "Will the Reform Union win the most seats in Japan by December 6?",
      "Will the Harvest Party win the most seats in Japan by December 6?",
    ],
    direct: [
      "Civic Alliance widens lead in new poll of Japan",
      "Japanese voters drift to Civic Alliance, survey finds",
      "Civic Alliance leader promises tax cut in final campaign week in Tokyo",
    ],
    sibling: [
      "Harvest Party gain ground in new poll of Japan",
      "Reform Union rallies in Osaka before Japanese election",
    ],
    unrelated: [
      "Civic Alliance lose ground in new poll of Portugal",
      "Civic Alliance do not win the most seats in Portugal, final count shows",
      "Reform Union could win the most seats in Norway, poll suggests",
      "Japanese carmaker recalls a million vans",
      "Harvest festival draws crowds in Kyoto",
    ],
  },
  {
    question: "Will annual inflation in Kenya be above 4.6% in November 2026?",
    eventSlug: "kenya-annual-inflation-november-2026",
    siblings: [
      "Will annual inflation in Kenya be above 4.8% in November 2026?",
      "Will annual inflation in Kenya be above 5.2% in November 2026?",
    ],
    direct: [
      "Food prices in Kenya ease, a sign of lower inflation",
      "Kenyan consumer prices rose faster last month, statistics bureau says",
      "Kenya's inflation seen near 4.6% in November, survey finds",
    ],
    family: [
      "Kenyan inflation was 4.1% in October, statistics bureau says",
      "Kenya annual inflation was above 5.2% in November 2026, statistics office says",
    ],
    unrelated: [
      "Inflation in Poland slows to 4.6% in November",
      "Polish consumer prices rise faster than forecast",
      "Kenyan runner breaks marathon record in Valencia",
      "Kenya and Uganda reopen border market",
      "Inflation in Nigeria eases for third month",
    ],
  },
  {
    question: "Will 'The Salt Road' win the festival grand prize in December 2026?",
    eventSlug: "festival-grand-prize-december-2026",
    siblings: [
      "Will 'Lantern Year' win the festival grand prize in December 2026?",
      "Will 'Low Tide' win the festival grand prize in December 2026?",
    ],
    direct: [
      "Long applause for 'The Salt Road' at the festival",
      "Jury members praise The Salt Road as festival nears its end",
      "'The Salt Road' a favourite for grand prize, critics say",
    ],
    sibling: [
      "'Lantern Year' receives standing ovation at the festival",
      "Critics split over 'Low Tide' before festival grand prize",
    ],
    family: [
      "'The Salt Road' wins the festival grand prize in November 2026",
      "'Lantern Year' wins the festival grand prize in November 2026",
    ],
    unrelated: [
      "Road salt prices climb as winter nears",
      "Beer festival in Munich cancelled over staff shortage",
      "Grand jury indicts former mayor",
    ],
  },
  {
    question: "Will the Fed cut rates by 25 bps after the December 2026 meeting?",
    eventSlug: "fed-decision-in-december",
    siblings: [
      "Will the Fed cut rates by 50+ bps after the December 2026 meeting?",
      "Will there be no change in Fed interest rates after the December 2026 meeting?",
    ],
    direct: [
      "Federal Reserve governor backs quarter-point rate cut in December",
      "Fed minutes show deep split over easing",
      "FOMC members see room for lower interest rates as hiring cools",
      "Fed's Waller says a December cut is on the table",
      "Fed officials split over a December rate reduction",
    ],
    family: [
      "Fed held rates steady in September, minutes show",
      "Fed rate cut in January now seen as likely, strategists say",
    ],
    unrelated: [
      "European Central Bank leaves interest rates unchanged",
      "Bank of Japan hints at December rate increase",
      "Cut in school meals fed protest in Leeds",
      "FedEx cuts delivery rates for December",
      "Mexico's central bank cuts rates by 25 basis points",
    ],
  },
  {
    question: "Will Bitcoin reach $150,000 in November?",
    eventSlug: "what-price-will-bitcoin-hit-in-november",
    siblings: [
      "Will Bitcoin reach $140,000 in November?",
      "Will Bitcoin dip to $90,000 in November?",
    ],
    direct: [
      "BTC surges past $120,000 as funds pour in",
      "Bitcoin slumps after exchange outage",
      "Bitcoin rally stalls below record high",
    ],
    family: ["Bitcoin falls below $90,000 for first time since spring"],
    unrelated: [
      "Bitcoin miner opens data centre in Paraguay",
      "Ethereum climbs as large orders arrive",
      "House price reaches $150,000 in rural county",
      "Court sentences bitcoin thief to nine years",
    ],
  },
  {
    question: "Will Ethereum reach $6,000 by December 31?",
    eventSlug: "what-price-will-ethereum-hit-in-2026",
    direct: [
      "ETH jumps 8% as staking funds see record inflows",
      "Ether slides below $4,000 amid wider sell-off",
      "Ethereum climbs as large orders arrive",
    ],
    unrelated: [
      "Solana jumps 8% as funds see inflows",
      "Ethereum developers postpone conference in Nairobi",
      "Town spends $6,000 on Christmas tree",
    ],
  },
  {
    question: "Lakers vs. Celtics",
    eventSlug: "nba-lal-bos-2026-11-22",
    outcomes: ["Lakers", "Celtics"],
    direct: [
      "Celtics edge Lakers on late three-pointer",
      "Lakers without star guard for clash with Celtics",
      "Preview: Boston Celtics visit Los Angeles Lakers",
    ],
    family: ["Lakers beat Denver Nuggets to extend winning run", "Celtics lose at home to Heat"],
    unrelated: [
      "Celtic play Rangers in Glasgow derby",
      "Boston marathon adds new charity places",
      "Los Angeles fire crews contain blaze",
    ],
  },
  {
    question: "Harbor City Gulls vs. Quarry Wolves",
    eventSlug: "league-gulls-wolves-2026-11-29",
    outcomes: ["Harbor City Gulls", "Quarry Wolves"],
    direct: [
      "Quarry Wolves beat Harbor City Gulls",
      "Harbor City Gulls vs. Quarry Wolves: what to expect",
      "Gulls and Wolves both unbeaten before Sunday's match",
    ],
    family: [
      "Harbor City Gulls draw with Ironwood Stags",
      "Quarry Wolves thrash Bellhaven Kites",
    ],
    unrelated: [
      "Gulls steal chips from tourists on the pier",
      "Wolves return to an old quarry in Saxony",
      "Saltmarsh United vs. Bellhaven Kites expected to be an open match",
    ],
  },
  {
    question: "ATP Finals: Jannik Sinner vs Carlos Alcaraz",
    eventSlug: "atp-sinner-alcaraz-2026-11-21",
    outcomes: ["Jannik Sinner", "Carlos Alcaraz"],
    direct: [
      "Alcaraz and Sinner meet again with season's last title at stake",
      "Sinner saves match point to beat Alcaraz in Turin",
    ],
    family: [
      "Sinner cruises past Zverev to reach semi-finals",
      "Alcaraz beats Fritz in straight sets",
    ],
    unrelated: ["Carlos Sainz fastest in practice", "Choir in Turin sings for sinners and saints"],
  },
  {
    question: "Will Hammarby Fotboll win on 2026-11-23?",
    eventSlug: "uel-hif-and-2026-11-23",
    direct: [
      "Hammarby lose defender before European match",
      "Late Hammarby goal stuns Anderlecht",
    ],
    family: ["Hammarby Fotboll to renovate training ground"],
    unrelated: [
      "Stockholm port workers end strike",
      "Swedish football fines three clubs over flares",
    ],
  },
  {
    question: "Will Chile and Poland sign a fisheries treaty by November 30?",
    eventSlug: "chile-poland-agreements-by-november-30",
    siblings: [
      "Will Chile and Poland sign a border accord by November 30?",
      "Will Chile and Poland sign a grain deal by November 30?",
    ],
    direct: [
      "Chile and Poland close in on a fisheries treaty, negotiators say",
      "Talks of Chile and Poland on a fisheries treaty break off",
      "Polish and Chilean envoys resume talks on fisheries",
    ],
    family: [
      "Chile and Poland expected to sign a border accord soon, officials say",
      "Poland and Chile sign a grain deal",
    ],
    unrelated: [
      "Chile and Peru sign a fisheries treaty",
      "Poland signs fisheries treaty with Norway",
      "Chilean fishing fleet stays in port over fuel costs",
      "Japan and Kenya sign a fisheries treaty",
    ],
  },
  {
    question: "Will the highest temperature in Warsaw be 9°C or more on December 4?",
    eventSlug: "highest-temperature-in-warsaw-on-december-4",
    siblings: [
      "Will the highest temperature in Warsaw be 7°C or more on December 4?",
      "Will the highest temperature in Warsaw be 11°C or more on December 4?",
    ],
    direct: [
      "Forecasters now see warmer air over Warsaw for December 4",
      "Warsaw braces for unusually mild weather",
      "Cold front to reach Warsaw by Friday, forecasters say",
    ],
    family: ["Highest temperature in Warsaw was 7°C or more on November 22, weather office says"],
    unrelated: [
      "Forecasters now see warmer air over Denver for December 4",
      "Warsaw opens new tram line",
      "Heat pump sales in Poland fall",
      "Cold snap in Oslo closes schools",
    ],
  },
  {
    question: "Will the Republicans win the Senate race in Ohio?",
    eventSlug: "ohio-senate-election-winner",
    siblings: ["Will the Democrats win the Senate race in Ohio?"],
    direct: [
      "GOP pours money into Ohio Senate race",
      "Ohio Republicans rally around Senate nominee",
      "Ohio Senate contest tightens, poll finds",
    ],
    sibling: ["Democrats see path to victory in Ohio Senate race"],
    unrelated: [
      "Republicans hold Senate seat in Texas",
      "Georgia Senate race goes to runoff as Republicans fall short",
      "Senate Republicans block climate bill",
      "Ohio State beats Michigan in rivalry game",
      "Ohio town elects youngest mayor",
    ],
  },
  {
    question: "Will José Antonio Kast win the Chilean presidential election?",
    eventSlug: "chile-presidential-election",
    siblings: [
      "Will Jeannette Jara win the Chilean presidential election?",
      "Will Franco Parisi win the Chilean presidential election?",
    ],
    direct: [
      "Kast leads polls ahead of Chile runoff",
      "José Antonio Kast pledges mass deportations in last debate",
      "Chileans vote in presidential election under heavy security",
    ],
    sibling: [
      "Jara narrows gap in Chile presidential poll",
      "Jeannette Jara closes campaign in Santiago",
    ],
    unrelated: [
      "Chilean wildfire destroys vineyards",
      "Peru presidential election heads to runoff",
      "San José opens new subway station",
      "Bolivian president sworn in",
    ],
  },
  {
    question: "Israel x Hamas ceasefire by December 31?",
    eventSlug: "israel-hamas-ceasefire",
    direct: [
      "Hamas studies truce offer as Israeli cabinet meets",
      "Mediators say Israel and Hamas are close to a deal in Cairo",
      "Israel rejects Hamas demands in ceasefire talks",
    ],
    unrelated: [
      "Ceasefire in eastern Congo holds, monitors say",
      "Israel and Lebanon exchange fire across border despite truce",
      "Israel opens a new railway line",
      "Thailand and Cambodia agree ceasefire",
    ],
  },
  {
    question: "Russia x Ukraine ceasefire in 2026?",
    eventSlug: "russia-x-ukraine-ceasefire-in-2026",
    direct: [
      "Kremlin rejects truce proposal from Kyiv",
      "Ukraine and Russia swap drafts of ceasefire text in Istanbul",
      "Zelensky says Ukrainian truce offer stands as Russian shelling goes on",
    ],
    unrelated: [
      "Russia bans imports of Moldovan wine",
      "Armenia and Azerbaijan sign peace treaty",
      "Ukraine wins song contest",
      "Russian ceasefire monitor arrested in Syria",
    ],
  },
  {
    question: "Starmer out as Prime Minister by March 31?",
    eventSlug: "starmer-out-by",
    direct: [
      "Starmer to quit after party revolt, ministers expect",
      "Cabinet urges Starmer to step down",
      "Starmer faces leadership challenge",
    ],
    unrelated: [
      "Prime minister of Japan resigns over funding scandal",
      "Starmer praises lifeboat crews",
      "Starmer meets Macron for defence summit in Paris",
    ],
  },
  {
    question: "Will Emmanuel Macron resign before the end of the year?",
    eventSlug: "macron-out-in-2026",
    direct: [
      "Macron rules out stepping down despite budget defeat",
      "Calls grow for French president Macron to quit",
      "Opposition files motion to remove Macron",
    ],
    unrelated: [
      "Macron opens restored abbey in Normandy",
      "French finance minister resigns",
      "Emmanuel choir tours Canada",
    ],
  },
  {
    question: "Will China invade Taiwan in 2026?",
    eventSlug: "china-invade-taiwan",
    direct: [
      "Taiwanese army drills for a Chinese invasion",
      "Beijing sends record number of warplanes toward Taiwan",
      "Chinese invasion of Taiwan unlikely this year, US report says",
    ],
    unrelated: [
      "Taiwan chipmaker opens plant in Dresden",
      "China bans seafood from Japan",
      "Invasive ants reach southern China",
      "Russia invasion anniversary marked in Kyiv",
    ],
  },
  {
    question: "Will the Supreme Court strike down Trump's tariffs?",
    eventSlug: "supreme-court-tariffs",
    direct: [
      "Supreme Court justices doubtful of Trump tariffs",
      "High court to rule on Trump's import duties within weeks",
      "SCOTUS hears challenge to Trump tariff powers",
    ],
    unrelated: [
      "Dock workers strike in Montreal",
      "Trump hosts Saudi crown prince",
      "Brazil's supreme court jails former governor",
      "India lowers tariffs on motorcycles",
    ],
  },
  {
    question: "Will Lab Tessera top the open leaderboard on December 10?",
    eventSlug: "which-lab-tops-the-open-leaderboard-december-10",
    siblings: [
      "Will Lab Quillon top the open leaderboard on December 10?",
      "Will Lab Meridian top the open leaderboard on December 10?",
    ],
    direct: [
      "Lab Tessera shows a stronger model ahead of December 10",
      "Lab Tessera may top the open leaderboard on December 10, observers think",
    ],
    sibling: ["Lab Quillon may top the open leaderboard on December 10, observers think"],
    family: [
      "Lab Meridian tops the open leaderboard on November 22",
      "Lab Tessera does not top the open leaderboard on November 21",
    ],
    unrelated: ["Police lab closes over leaks", "Golfer climbs leaderboard at Scottish open"],
  },
  {
    question: "Will OpenAI release GPT-6 by January 31?",
    eventSlug: "gpt-6-released-by",
    direct: [
      "OpenAI says GPT-6 launch is weeks away",
      "OpenAI delays release of GPT-6, sources say",
      "GPT-6 to arrive next month, OpenAI chief hints",
    ],
    unrelated: [
      "OpenAI signs lease for London office",
      "Google launches new model for phones",
      "Police release suspect in museum theft",
    ],
  },
  {
    question: "Will LeBron James play for the Miami Heat in 2026-27?",
    eventSlug: "nba-lebron-james-next-team",
    siblings: [
      "Will LeBron James play for the Cleveland Cavaliers in 2026-27?",
      "Will LeBron James play for the Golden State Warriors in 2026-27?",
    ],
    direct: [
      "LeBron James leaning toward Miami Heat, report says",
      "LeBron James undecided on next team",
    ],
    sibling: [
      "LeBron James meets Cavaliers as free agency opens",
      "Warriors prepare offer for LeBron James",
    ],
    unrelated: [
      "Miami heat breaks November record",
      "Heat lose to Magic in overtime",
      "James Cameron film tops box office",
    ],
  },
  {
    question: "Will Pau Cubarsi win the 2026 Ballon d'Or?",
    eventSlug: "ballon-dor-winner-2026",
    siblings: [
      "Will Lionel Messi win the 2026 Ballon d'Or?",
      "Will Kylian Mbappe win the 2026 Ballon d'Or?",
    ],
    direct: ["Cubarsi on shortlist for Ballon d'Or", "Pau Cubarsi tipped for Ballon d'Or by coach"],
    sibling: ["Mbappé says Ballon d'Or would be a dream", "Messi a surprise Ballon d'Or favourite"],
    unrelated: ["Messi scores twice for Miami", "Hot air ballon festival opens in Pau"],
  },
  {
    question: "US government shutdown before February?",
    eventSlug: "us-government-shutdown",
    direct: [
      "Senators race to avert government shutdown as U.S. funding deadline looms",
      "American agencies prepare for shutdown",
      "House passes stopgap bill to prevent U.S. government shutdown",
    ],
    unrelated: [
      "Shutdown of Dutch gas field completed",
      "US women reach hockey final",
      "Governments agree on shipping rules",
    ],
  },
  {
    question: "Friedrich Merz out as German Chancellor by June 30?",
    eventSlug: "merz-out-by",
    direct: [
      "Merz faces confidence vote as coalition cracks",
      "Allies say German chancellor Merz will not resign",
    ],
    unrelated: [
      "Former Austrian chancellor convicted of lying",
      "German inflation slows",
      "Merz visits submarine yard in Kiel",
    ],
  },
  {
    question: "Will Typhoon Kalmaegi make landfall in Vietnam?",
    eventSlug: "typhoon-kalmaegi",
    direct: [
      "Vietnamese provinces evacuate as Kalmaegi nears",
      "Typhoon Kalmaegi strengthens over South China Sea",
    ],
    unrelated: [
      "Typhoon Fung-wong makes landfall in the Philippines",
      "Vietnam raises minimum wage",
      "Pilot makes emergency landing on motorway",
    ],
  },
  {
    question: "Will SpaceX launch Starship Flight 14 before December?",
    eventSlug: "starship-flight-14",
    direct: [
      "SpaceX scrubs Starship minutes before lift-off",
      "Starship launches on 14th test flight",
      "Regulator clears SpaceX for next Starship flight",
    ],
    unrelated: [
      "Starlink outage hits rural Canada",
      "Flight to Lisbon diverted after storm",
      "Blue Origin launches Mars probes",
    ],
  },
  {
    question: "Will the Bank of England cut rates in December?",
    eventSlug: "bank-of-england-decision-in-december",
    direct: [
      "Bank of England governor hints at rate cut before Christmas",
      "BoE seen lowering interest rates as wages cool",
    ],
    family: ["Bank of England held rates at 4% in November"],
    unrelated: [
      "Fed officials split over a December rate reduction",
      "England cricket side bank on spin in December Test",
      "River bank collapses in northern England",
    ],
  },
  {
    question: "Will monthly inflation in Argentina be below 2% in October 2026?",
    eventSlug: "argentina-monthly-inflation-october",
    direct: [
      "Argentine CPI slows in October, consultancy estimates",
      "Milei cheers lower Argentine inflation",
    ],
    family: ["Argentina's monthly inflation was 2.1% in September"],
    unrelated: [
      "Argentina beat Uruguay in stoppage time",
      "Turkish inflation slows to 31% in October",
      "Argentine glacier shrinks at record pace",
    ],
  },
  {
    question: "Will 'One Battle After Another' win Best Picture at the Oscars?",
    eventSlug: "oscars-best-picture",
    siblings: [
      "Will 'Hamnet' win Best Picture at the Oscars?",
      "Will 'Sinners' win Best Picture at the Oscars?",
    ],
    direct: [
      "'One Battle After Another' sweeps critics' awards before Oscars",
      "Oscar voters warm to One Battle After Another",
    ],
    sibling: ["Hamnet gains in race for Oscars best picture", "'Sinners' leads Oscar nominations"],
    unrelated: [
      "One more battle for custody of the family dog",
      "Picture of dictator removed from school",
      "Oscar Piastri takes pole position in Brazil",
    ],
  },
  {
    question: "Will Taylor Swift announce a new album in 2026?",
    eventSlug: "taylor-swift-album",
    direct: [
      "Taylor Swift teases record at surprise concert",
      "Fans see hints of next Taylor Swift album",
    ],
    unrelated: [
      "Taylor wins council seat in Leeds",
      "Swift action saves beached whales",
      "Adele announces new album",
    ],
  },
  {
    question: "Maduro out as President of Venezuela by December 31?",
    eventSlug: "maduro-out-by",
    direct: [
      "Maduro says he will not leave office",
      "Venezuelan generals weigh removal of Maduro",
      "Talks on Maduro exit resume, diplomats say",
    ],
    unrelated: [
      "Venezuela's oil exports recover",
      "President of Peru removed by congress",
      "Cup of hot chocolate sets record in Caracas",
    ],
  },
  {
    question: "Will the US strike Iran before February?",
    eventSlug: "us-strike-iran-by",
    direct: [
      "US bombers sent to Gulf as Iran tensions rise",
      "Tehran warns Washington of reprisal if American attacks resume",
      "Pentagon draws up options to attack Iran",
    ],
    unrelated: [
      "Israel bombs Iranian-backed group in Syria",
      "Iranian film wins prize in Berlin",
      "Rail strike in Belgium enters third day",
      "US airline pilots vote to strike",
    ],
  },
  {
    question: "Will Nvidia be the largest company in the world by market cap on December 31?",
    eventSlug: "largest-company-end-of-december",
    siblings: [
      "Will Apple be the largest company in the world by market cap on December 31?",
      "Will Alphabet be the largest company in the world by market cap on December 31?",
    ],
    direct: [
      "Nvidia becomes first company worth six trillion dollars",
      "Nvidia shares slide on chip export worries",
    ],
    sibling: ["Apple overtakes rivals to become most valuable company"],
    unrelated: [
      "World's largest iceberg runs aground",
      "Company builds cap for wind turbines",
      "Apple harvest fails in Normandy",
    ],
  },
  {
    question: "Will Moldova join the European Union before 2030?",
    eventSlug: "moldova-join-eu",
    direct: [
      "EU opens accession talks with Moldova",
      "Moldovan leader says EU membership within reach",
    ],
    unrelated: [
      "EU opens accession talks with Albania",
      "Moldovan wine wins award in Bordeaux",
      "EU fines chip maker",
    ],
  },
  {
    question: "Will D66 win the most seats in the Dutch election?",
    eventSlug: "netherlands-parliamentary-election",
    siblings: [
      "Will PVV win the most seats in the Dutch election?",
      "Will CDA win the most seats in the Dutch election?",
    ],
    direct: ["D66 ahead in Netherlands exit poll", "Dutch vote count: D66 keeps narrow lead"],
    sibling: [
      "PVV slips in last Dutch poll",
      "CDA doubles seats in Netherlands, exit poll suggests",
    ],
    unrelated: [
      "Danish election: Social Democrats lose seats",
      "Dutch cyclists win relay gold",
      "Netherlands returns stolen drum to Ivory Coast",
    ],
  },
  {
    question: "Will South Korea's president be impeached in 2026?",
    eventSlug: "south-korea-president-impeached",
    direct: [
      "South Korean opposition files impeachment motion",
      "Seoul court prepares for possible presidential removal trial",
    ],
    unrelated: [
      "North Korea fires missile into sea",
      "South Korean pop band announces tour",
      "Impeachment of Philippine vice president stalls",
    ],
  },
  {
    question: "Will Elon Musk become a trillionaire before 2027?",
    eventSlug: "musk-trillionaire",
    direct: [
      "Tesla pay deal could make Musk a trillionaire",
      "Elon Musk's fortune nears a trillion dollars",
    ],
    unrelated: ["Musk turtles rescued from drain", "Musk says Mars trip will wait"],
  },
  {
    question: "Clarity Act signed into law in 2026?",
    eventSlug: "clarity-act-signed-into-law-in-2026",
    direct: [
      "Senate panel advances Clarity Act",
      "Clarity Act vote slips to spring, lawmakers say",
    ],
    unrelated: [
      "Minister seeks clarity on fishing law",
      "Online safety act takes effect",
      "President signs defence spending act into law",
    ],
  },
  {
    question: "Strait of Hormuz traffic returns to normal by January 31?",
    eventSlug: "strait-of-hormuz-traffic-returns-to-normal",
    direct: [
      "Tankers resume transit through Hormuz",
      "Shipping firms still avoid Strait of Hormuz",
    ],
    unrelated: [
      "Holiday traffic jams Strait of Messina ferry ports",
      "Air traffic returns to normal after storm",
      "Bering Strait sea ice at record low",
    ],
  },
  {
    question: "Will Spain win the 2030 FIFA World Cup?",
    eventSlug: "2030-fifa-world-cup-winner",
    siblings: [
      "Will Brazil win the 2030 FIFA World Cup?",
      "Will France win the 2030 FIFA World Cup?",
    ],
    direct: [
      "Spain names squad for World Cup qualifiers",
      "Spanish coach plans for 2030 World Cup",
    ],
    sibling: ["Brazil appoints new coach with World Cup in mind"],
    family: ["Spain lost World Cup final in 2026"],
    unrelated: [
      "Spain wins Davis Cup tie",
      "Spanish court fines football league",
      "Rugby World Cup draw made in Sydney",
    ],
  },
]

export const freshCases: ReadonlyArray<PlantedCase> = [
  {
    question: "Will Finland win Eurovision 2027?",
    eventSlug: "eurovision-winner-2027",
    siblings: ["Will Sweden win Eurovision 2027?", "Will Greece win Eurovision 2027?"],
    direct: [
      "Finnish singer chosen for Eurovision in Vienna",
      "Finland favourite to win Eurovision",
    ],
    sibling: [
      "Sweden picks folk trio for Eurovision",
      "Greek act drops out of Eurovision rehearsal",
    ],
    unrelated: ["Finland opens longest rail tunnel", "Swedish ferry runs aground"],
  },
  {
    question: "Will annual inflation in Turkey be above 30% in November 2026?",
    eventSlug: "turkey-annual-inflation-november-2026",
    siblings: ["Will annual inflation in Turkey be above 28% in November 2026?"],
    direct: [
      "Turkish inflation set to slow again, economists say",
      "Rents push consumer prices higher in Turkey",
    ],
    family: ["Turkey's annual inflation eased to 32% in September"],
    unrelated: [
      "Turkey and Syria reopen border gate",
      "Egyptian inflation tops 30%",
      "Turkey farmers warn of bird flu before Thanksgiving",
    ],
  },
  {
    question: "Will the ECB raise interest rates in January?",
    eventSlug: "ecb-decision-january",
    direct: [
      "European Central Bank keeps door open to January hike",
      "ECB's Schnabel sees rates rising sooner",
    ],
    family: ["ECB left interest rates unchanged in October"],
    unrelated: [
      "Norway's central bank raises rates",
      "European banks close branches",
      "January sales disappoint retailers",
    ],
  },
  {
    question: "Will Solana reach $400 in December?",
    eventSlug: "what-price-will-solana-hit-in-december",
    siblings: ["Will Solana dip to $100 in December?"],
    direct: ["SOL rallies to highest price since summer", "Solana tumbles after network halt"],
    family: ["Solana sinks below $100 on heavy selling"],
    unrelated: ["Solana beach clean-up draws volunteers", "Cardano rallies after upgrade"],
  },
  {
    question: "Arsenal FC vs. Chelsea FC",
    eventSlug: "epl-ars-che-2026-12-05",
    outcomes: ["Arsenal FC", "Chelsea FC"],
    direct: ["Chelsea without keeper for Arsenal trip", "Arsenal held by ten-man Chelsea"],
    family: ["Arsenal beat Everton to go top"],
    unrelated: ["Chelsea flower show tickets sell out", "Arms found in old arsenal near Trieste"],
  },
  {
    question: "UFC 330: Tom Aspinall vs. Ciryl Gane",
    eventSlug: "ufc-aspinall-gane-2026-12-12",
    outcomes: ["Tom Aspinall", "Ciryl Gane"],
    direct: ["Aspinall and Gane trade words before heavyweight title fight"],
    unrelated: ["Tom Hanks to play lighthouse keeper", "Boxing board suspends promoter"],
  },
  {
    question: "Will Brazil and India sign a trade agreement by January 15?",
    eventSlug: "brazil-india-agreements",
    siblings: ["Will Brazil and India sign a defence pact by January 15?"],
    direct: [
      "India and Brazil narrow gaps on trade agreement",
      "Brazilian and Indian ministers hold new round of trade talks",
    ],
    family: ["Brazil and India sign defence pact in Delhi"],
    unrelated: [
      "India and Britain sign trade agreement",
      "Brazil beat Uruguay in qualifier",
      "Brazil and China agree on trade in beef",
    ],
  },
  {
    question: "Will the highest temperature in Seoul be 12°C or more on December 9?",
    eventSlug: "highest-temperature-in-seoul-on-december-9",
    direct: ["Seoul to see mild weather next week, forecaster says", "Snow and frost hit Seoul"],
    family: ["Seoul records warmest November 30 in a century as temperature hits 17 degrees"],
    unrelated: ["Hot weather closes schools in Manila", "Seoul stocks close at record high"],
  },
  {
    question: "Will Péter Magyar be the next Prime Minister of Hungary?",
    eventSlug: "next-prime-minister-of-hungary",
    siblings: ["Will Viktor Orbán be the next Prime Minister of Hungary?"],
    direct: [
      "Magyar's party leads in Hungarian election poll",
      "Peter Magyar promises clean government if he becomes Hungary's prime minister",
    ],
    sibling: ["Orban trails in last Hungary poll before election"],
    unrelated: ["Hungarian water polo team wins gold", "Slovak prime minister survives vote"],
  },
  {
    question: "Will the Democrats win the Senate race in Maine?",
    eventSlug: "maine-senate-election-winner",
    siblings: ["Will the Republicans win the Senate race in Maine?"],
    direct: ["Democrats spend record sum on Maine Senate race", "Maine Senate race a toss-up"],
    sibling: ["Republican senator defends record in Maine Senate debate"],
    unrelated: [
      "Democrats flip Senate seat in North Carolina",
      "Maine lobster catch falls",
      "Senate Democrats demand vote on health bill",
    ],
  },
  {
    question: "India x Pakistan ceasefire continues through December 31?",
    eventSlug: "india-pakistan-ceasefire-continues",
    direct: [
      "Indian and Pakistani troops trade fire along border despite truce",
      "Pakistan accuses India of breaking ceasefire in Kashmir",
    ],
    unrelated: [
      "Pakistan and Afghanistan agree ceasefire",
      "India launches weather satellite",
      "Pakistan cricket captain quits",
    ],
  },
  {
    question: "Netanyahu out as Prime Minister of Israel by June 30?",
    eventSlug: "netanyahu-out-by",
    direct: [
      "Coalition partner threatens to topple Netanyahu",
      "Netanyahu will not step down over trial, lawyer says",
    ],
    unrelated: ["Israeli bank raises mortgage costs", "Portuguese prime minister steps down"],
  },
  {
    question: "Will Anthropic announce an IPO before July?",
    eventSlug: "anthropic-ipo",
    direct: ["Anthropic hires banks for listing", "Anthropic weighs IPO next spring"],
    unrelated: ["Swedish battery maker delays IPO", "Anthropic opens Tokyo office"],
  },
  {
    question: "Will Hurricane Nestor make landfall in Florida?",
    eventSlug: "hurricane-nestor-florida",
    direct: [
      "Floridians urged to evacuate as Nestor nears",
      "Hurricane Nestor turns toward Florida",
    ],
    unrelated: ["Hurricane Otto floods Honduras", "Florida python hunt begins"],
  },
  {
    question: "Will the Bank of Japan raise rates in December?",
    eventSlug: "bank-of-japan-decision-december",
    direct: [
      "BoJ chief signals higher interest rates",
      "Bank of Japan seen raising rates in December",
    ],
    unrelated: ["Japanese bank robbed at gunpoint", "Bank of Canada trims rates"],
  },
  {
    question: "Will Ghislaine Maxwell receive a pardon in 2026?",
    eventSlug: "maxwell-pardon",
    direct: ["Trump says he has not considered pardon for Maxwell", "Maxwell seeks clemency"],
    unrelated: ["Governor pardons turkey", "Maxwell House recalls coffee"],
  },
  {
    question: "Will 'Avatar: Fire and Ash' be the top grossing movie of 2026?",
    eventSlug: "top-grossing-movie-2026",
    siblings: ["Will 'Toy Story 5' be the top grossing movie of 2026?"],
    direct: ["'Avatar: Fire and Ash' passes a billion dollars at box office"],
    sibling: ["'Toy Story 5' opens to biggest box office weekend of year"],
    unrelated: ["Fire leaves ash over Athens suburbs", "Toy shop chain to close"],
  },
  {
    question: "Will the New York Knicks win the 2027 NBA Finals?",
    eventSlug: "nba-2027-champion",
    siblings: [
      "Will the Denver Nuggets win the 2027 NBA Finals?",
      "Will the Oklahoma City Thunder win the 2027 NBA Finals?",
    ],
    direct: ["Knicks installed as NBA title favourites", "Injury clouds Knicks' NBA Finals hopes"],
    sibling: ["Thunder start NBA title defence with win"],
    unrelated: ["New York mayor cuts rents", "Thunder and hail damage crops in Oklahoma"],
  },
  {
    question: "Will Sanae Takaichi be out as Prime Minister of Japan by March?",
    eventSlug: "takaichi-out-by",
    direct: ["Takaichi survives confidence vote", "Japan's Takaichi under pressure to quit"],
    unrelated: ["Thai prime minister removed by court", "Japanese rice price doubles"],
  },
  {
    question: "Will Kosovo join NATO before 2030?",
    eventSlug: "kosovo-join-nato",
    direct: ["NATO ministers discuss membership for Kosovo"],
    unrelated: ["NATO jets intercept Russian drones", "Kosovo police seize weapons"],
  },
]
