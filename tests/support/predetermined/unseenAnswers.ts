/**
 * Answers written after the checks, in two rounds: the true ones measure false refusals on new wording,
 * the wrong ones false acceptances.
 *
 * When they were first judged, 17 of 20 and 12 of 20 true ones were accepted, and 4 of 26 and 4 of 25
 * wrong ones. The checks were then mended for the wrong ones. The earlier rules accepted 18 and 16 of
 * the true ones, and 19 and 19 of the wrong ones.
 *
 * @module
 */
import type { PlantedCase } from "./planted.ts"

const season = { question: "Will the Lakeside Herons win the league cup?" }
const foxes = {
  question: "Cavern Foxes vs. Lakeside Herons",
  outcomes: ["Cavern Foxes", "Lakeside Herons"],
  gameStartsAt: "2026-11-20T18:00:00Z",
} as const

const tipOff = "2026-11-21T02:00:00Z"

export const unseenTrueAnswers: ReadonlyArray<PlantedCase> = [
  {
    ...foxes,
    headlines: ["Herons overcome Foxes in tense derby", "Cavern Foxes lose to Lakeside Herons 2-1"],
    answer: "Lakeside Herons",
  },
  {
    ...foxes,
    headlines: ["Cavern Foxes rout Lakeside Herons", "Foxes defeat Herons 5-0 with early goals"],
    answer: "Cavern Foxes",
  },
  {
    ...season,
    headlines: ["Lakeside Herons win the league cup", "Herons take league cup in extra time"],
    answer: "Yes",
  },
  {
    ...season,
    siblings: ["Will the Quarry Wolves win the league cup?"],
    headlines: ["Quarry Wolves win the league cup", "League cup: Wolves crowned champions"],
    answer: "No",
  },
  {
    question: "Will Ida Quill be elected president of Chile?",
    headlines: ["Ida Quill elected president of Chile", "Chile: Quill wins presidency in runoff"],
    answer: "Yes",
  },
  {
    question: "Will the Harvest Party win the most seats in Japan?",
    siblings: ["Will the New Centre win the most seats in Japan?"],
    headlines: [
      "New Centre win most seats in Japan",
      "Japanese election: New Centre secures most seats",
    ],
    answer: "No",
  },
  {
    question: "Will annual inflation in Poland be above 3% in October 2026?",
    endsAt: "2026-11-20T09:00:00Z",
    headlines: [
      "Polish inflation was 3.4% in October",
      "Inflation in Poland rose to 3.4% in October, data show",
    ],
    answer: "Yes",
  },
  {
    question: "Will annual inflation in Poland be above 3% in October 2026?",
    endsAt: "2026-11-20T09:00:00Z",
    headlines: [
      "Polish inflation falls to 2.6% in October",
      "Annual inflation in Poland stayed below 3% in October",
    ],
    answer: "No",
  },
  {
    question: "Will Dogecoin hit $1 by December 31?",
    headlines: ["Dogecoin hits $1 for first time", "Dogecoin passes $1 on heavy trading"],
    answer: "Yes",
  },
  {
    question: "Will the council approve the tram line by November 30?",
    headlines: ["Council approves tram line", "Tram line approved by council in narrow vote"],
    answer: "Yes",
  },
  {
    question: "Will Petra Lind resign by November 30?",
    headlines: ["Petra Lind resigns after week of protests", "Lind steps down"],
    answer: "Yes",
  },
  {
    question: "Will Kenya and Peru sign a rail agreement by November 30?",
    headlines: [
      "Kenya and Peru sign rail agreement",
      "Rail agreement signed by Peruvian and Kenyan ministers",
    ],
    answer: "Yes",
  },
  {
    question: "Will the bank of Norway raise rates in November?",
    headlines: [
      "Bank of Norway raises rates",
      "Norwegian central bank hikes rates by half a point",
    ],
    answer: "Yes",
  },
  {
    question: "Will Emil Sorge be appointed ambassador by December 31?",
    headlines: ["Emil Sorge appointed ambassador", "Government appoints Emil Sorge as ambassador"],
    answer: "Yes",
  },
  {
    question: "Will Ostria Motors launch the Comet 2 by November 30?",
    headlines: ["Ostria Motors launches Comet 2", "Ostria Motors unveils the Comet 2 at show"],
    answer: "Yes",
  },
  {
    question: "Will the museum of bells open by November 30?",
    headlines: ["Museum of bells opens in Marenport", "Museum of bells opened on Thursday"],
    answer: "Yes",
  },
  {
    question: "Will Ivo Brand be acquitted by December 31?",
    headlines: ["Ivo Brand acquitted on all counts", "Court acquits Ivo Brand"],
    answer: "Yes",
  },
  {
    question: "Will “Low Tide” win the audience prize in November 2026?",
    headlines: [
      "“Low Tide” wins audience prize",
      "Audience prize awarded to “Low Tide” at festival",
    ],
    answer: "Yes",
  },
  {
    question: "Will the Tellmark probe land on Mars by December 1?",
    headlines: [
      "Tellmark probe lands on Mars",
      "Tellmark probe has landed on Mars, agency confirms",
    ],
    answer: "Yes",
  },
  {
    question: "Will Quarrow Bank acquire Vessing Trust by December 31?",
    headlines: ["Quarrow Bank acquires Vessing Trust", "Vessing Trust bought by Quarrow Bank"],
    answer: "Yes",
  },
  // The second round.

  {
    question: "Stags vs. Gulls",
    outcomes: ["Stags", "Gulls"],
    gameStartsAt: tipOff,
    headlines: ["Stags Outlast Gulls in Double Overtime", "Gulls lose to Stags, 120-118"],
    answer: "Stags",
  },
  {
    question: "Stags vs. Gulls",
    outcomes: ["Stags", "Gulls"],
    gameStartsAt: tipOff,
    headlines: ["Gulls beat Stags 101-99 on buzzer", "Stags fall to Gulls in thriller"],
    answer: "Gulls",
  },
  {
    question: "Will Saltmarsh win on 2026-11-21?",
    gameStartsAt: tipOff,
    headlines: ["Saltmarsh beat Bellhaven 2-0", "Bellhaven lose 2-0 at Saltmarsh"],
    answer: "Yes",
  },
  {
    question: "Will the Fed cut rates by 25 bps in November?",
    headlines: [
      "Fed cuts rates by 25 basis points",
      "Fed lowers rates by 25 bps as expected in November",
    ],
    answer: "Yes",
  },
  {
    question: "Will Owen Hale resign by December 31?",
    headlines: ["Owen Hale resigns as UK prime minister", "Hale resigns after leadership revolt"],
    answer: "Yes",
  },
  {
    question: "Hale out by December 31?",
    headlines: ["Owen Hale resigns", "Hale steps down after revolt"],
    answer: "Yes",
  },
  {
    question: "Will Bitcoin reach $120,000 in November?",
    headlines: ["Bitcoin tops $120,000 for first time", "Bitcoin Hits $121,500 as Buyers Return"],
    answer: "Yes",
  },
  {
    question: "Will France win the Nations Cup?",
    headlines: ["France win Nations Cup after shootout", "France beat Spain to win Nations Cup"],
    answer: "Yes",
  },
  {
    question: "Will France win the Nations Cup?",
    siblings: ["Will Spain win the Nations Cup?"],
    headlines: ["Spain win Nations Cup", "Spain beat France to lift Nations Cup"],
    answer: "No",
  },
  {
    question: "Will Tellmark Space launch Heron Flight 14 by November 30?",
    headlines: [
      "Tellmark Space launches Heron Flight 14",
      "Heron Flight 14 launched by Tellmark Space from Texas",
    ],
    answer: "Yes",
  },
  {
    question: "Will Lab Ostrava release Ostra-6 by January 31?",
    headlines: ["Lab Ostrava releases Ostra-6", "Ostra-6 released by Lab Ostrava to paying users"],
    answer: "Yes",
  },
  {
    question: "Will the House pass the budget bill by November 30?",
    headlines: ["House passes budget bill in narrow vote", "Budget bill clears House"],
    answer: "Yes",
  },
  {
    question: "US recession in 2026?",
    headlines: ["US enters recession", "US economy falls into recession, data show"],
    answer: "Yes",
  },
  {
    question: "Will Rosa Tine win the New York City mayoral election?",
    headlines: [
      "Rosa Tine wins New York City mayoral election",
      "Tine elected mayor of New York City",
    ],
    answer: "Yes",
  },
  {
    question: "Russia x Ukraine ceasefire by December 31?",
    headlines: [
      "Russia and Ukraine agree ceasefire",
      "Ukraine and Russia sign ceasefire in Geneva",
    ],
    answer: "Yes",
  },
  {
    question: "Will Dorn be out as prime minister by December 31?",
    headlines: ["Dorn ousted as prime minister", "Israeli Prime Minister Dorn resigns"],
    answer: "Yes",
  },
  {
    question: "Will unemployment in the US be above 4.5% in October?",
    headlines: [
      "US unemployment rose to 4.6% in October",
      "Unemployment in US hits 4.6% in October",
    ],
    answer: "Yes",
  },
  {
    question: "Will Brindle Steel close above $500 on November 20?",
    headlines: [{ title: "Brindle Steel closes above $500", hoursAgo: 10 }, {
      title: "Brindle Steel shares closed at $512",
      hoursAgo: 9,
    }],
    answer: "Yes",
  },
  {
    question: "Will Dana Cole be named CEO by December 31?",
    headlines: ["Dana Cole named CEO", "Company names Dana Cole CEO"],
    answer: "Yes",
  },
  {
    question: "Will the Stags advance to the final?",
    headlines: ["Stags advance to final", "Stags beat Wolves to reach final"],
    answer: "Yes",
  },
]

export const unseenWrongAnswers: ReadonlyArray<PlantedCase> = [
  {
    ...foxes,
    headlines: ["Herons overcome Foxes in tense derby", "Cavern Foxes lose to Lakeside Herons 2-1"],
    answer: "Cavern Foxes",
  },
  {
    ...foxes,
    headlines: [
      "Cavern Foxes beat Lakeside Herons in the 2024 final",
      "Foxes defeat Herons in 2024",
    ],
    answer: "Cavern Foxes",
  },
  {
    ...foxes,
    headlines: [
      "Foxes beat Herons to the signing of Karl Ost",
      "Cavern Foxes beat Lakeside Herons to young striker",
    ],
    answer: "Cavern Foxes",
  },
  {
    ...foxes,
    headlines: [
      "Cavern Foxes reserves beat Lakeside Herons reserves",
      "Foxes youth team defeat Herons youth team",
    ],
    answer: "Cavern Foxes",
  },
  {
    ...season,
    headlines: [
      "Lakeside Herons win league cup quarter-final",
      "Herons win in league cup last eight",
    ],
    answer: "Yes",
  },
  {
    ...season,
    headlines: ["Lakeside Herons win league", "Herons take league crown"],
    answer: "Yes",
  },
  {
    ...season,
    headlines: [
      "Lakeside Herons coach wins league cup award",
      "Herons coach takes league cup coaching award",
    ],
    answer: "Yes",
  },
  {
    question: "Will Ida Quill be elected president of Chile?",
    headlines: [
      "Ida Quill elected head of Chile football union",
      "Quill wins vote for football union of Chile",
    ],
    answer: "Yes",
  },
  {
    question: "Will Ida Quill be elected president of Chile?",
    headlines: [
      "Ida Quill wins first round in Chile presidential election",
      "Quill takes first round of Chile vote",
    ],
    answer: "Yes",
  },
  {
    question: "Will Ida Quill be elected president of Chile?",
    headlines: [
      "Ida Quill's brother elected president of Chile club",
      "Brother of Ida Quill wins Chile club vote",
    ],
    answer: "Yes",
  },
  {
    question: "Will the Harvest Party win the most seats in Japan?",
    headlines: [
      "Harvest Party win most seats in Osaka council",
      "Harvest Party takes most seats on Osaka council",
    ],
    answer: "Yes",
  },
  {
    question: "Will annual inflation in Poland be above 3% in October 2026?",
    headlines: [
      "Polish inflation was 3.4% in September",
      "Inflation in Poland rose to 3.4% in September",
    ],
    answer: "Yes",
  },
  {
    question: "Will annual inflation in Poland be above 3% in October 2026?",
    headlines: [
      "Polish food inflation was 3.4% in October",
      "Producer inflation in Poland rose to 3.4% in October",
    ],
    answer: "Yes",
  },
  {
    question: "Will Dogecoin hit $1 by December 31?",
    headlines: ["Dogecoin hits $0.90", "Dogecoin passes 90 cents on heavy trading"],
    answer: "Yes",
  },
  {
    question: "Will the council approve the tram line by November 30?",
    headlines: ["Council approves tram line study", "Study of tram line approved by council"],
    answer: "Yes",
  },
  {
    question: "Will the council approve the tram line by November 30?",
    headlines: ["Council approves debate on tram line", "Council passes motion about tram line"],
    answer: "Yes",
  },
  {
    question: "Will Petra Lind resign by November 30?",
    headlines: ["Aide of Petra Lind resigns", "Petra Lind's deputy resigns"],
    answer: "Yes",
  },
  {
    question: "Will Petra Lind resign by November 30?",
    headlines: ["Petra Lind resigns from board of museum", "Lind quits museum board"],
    answer: "Yes",
  },
  {
    question: "Will Kenya and Peru sign a rail agreement by November 30?",
    headlines: ["Kenya signs rail agreement", "Rail agreement signed by Kenyan minister"],
    answer: "Yes",
  },
  {
    question: "Will Kenya and Peru sign a rail agreement by November 30?",
    headlines: [
      "Kenya and Peru sign memorandum on rail agreement",
      "Kenya and Peru sign letter of intent for rail agreement",
    ],
    answer: "Yes",
  },
  {
    question: "Will Emil Sorge be appointed ambassador by December 31?",
    headlines: ["Emil Sorge appoints new ambassador", "Emil Sorge names friend ambassador"],
    answer: "Yes",
  },
  {
    question: "Will Ostria Motors launch the Comet 2 by November 30?",
    headlines: ["Ostria Motors launches Comet 1", "Ostria Motors unveils the Comet 1 at show"],
    answer: "Yes",
  },
  {
    question: "Will Ostria Motors launch the Comet 2 by November 30?",
    headlines: [
      "Ostria Motors launches Comet 2 preorders",
      "Ostria Motors opens Comet 2 preorders",
    ],
    answer: "Yes",
  },
  {
    question: "Will Ivo Brand be acquitted by December 31?",
    headlines: [
      "Ivo Brand's partner acquitted on all counts",
      "Court acquits partner of Ivo Brand",
    ],
    answer: "Yes",
  },
  {
    question: "Will the Tellmark probe land on Mars by December 1?",
    headlines: [
      "Tellmark probe lands on launch pad for Mars trip",
      "Tellmark probe has landed in Ostria before Mars trip",
    ],
    answer: "Yes",
  },
  {
    question: "Will Quarrow Bank acquire Vessing Trust by December 31?",
    headlines: [
      "Quarrow Bank acquires stake in Vessing Trust",
      "Quarrow Bank buys 5% of Vessing Trust",
    ],
    answer: "Yes",
  },
  // The second round.

  {
    question: "Stags vs. Gulls",
    outcomes: ["Stags", "Gulls"],
    gameStartsAt: tipOff,
    headlines: ["Stags beat Foxes, Gulls beat Kites", "Gulls Win as Stags Win Too"],
    answer: "Stags",
  },
  {
    question: "Stags vs. Gulls",
    outcomes: ["Stags", "Gulls"],
    gameStartsAt: tipOff,
    headlines: ["Stags win opening tip against Gulls", "Stags win first quarter over Gulls"],
    answer: "Stags",
  },
  {
    question: "Stags vs. Gulls",
    outcomes: ["Stags", "Gulls"],
    gameStartsAt: tipOff,
    headlines: ["Stags beat Gulls in draft lottery", "Stags beat Gulls in jersey sales"],
    answer: "Stags",
  },
  {
    question: "Will Saltmarsh win on 2026-11-21?",
    gameStartsAt: tipOff,
    headlines: ["Saltmarsh Women beat Bellhaven Women", "Saltmarsh U21 beat Bellhaven U21"],
    answer: "Yes",
  },
  {
    question: "Will Saltmarsh win on 2026-11-21?",
    gameStartsAt: tipOff,
    headlines: ["Saltmarsh win race to sign striker", "Saltmarsh win appeal over fine"],
    answer: "Yes",
  },
  {
    question: "Will the Fed cut rates by 25 bps in November?",
    headlines: ["Fed cuts rates by 50 basis points", "Fed lowers rates by 50 bps"],
    answer: "Yes",
  },
  {
    question: "Will Owen Hale resign by December 31?",
    headlines: ["Owen Hale's aide resigns", "Minister resigns over Hale plan"],
    answer: "Yes",
  },
  {
    question: "Will Owen Hale resign by December 31?",
    headlines: ["Hale resigns himself to tax rise", "Owen Hale resigns seat on committee"],
    answer: "Yes",
  },
  {
    question: "Will Bitcoin reach $120,000 in November?",
    headlines: ["Bitcoin whale reaches $120,000 profit", "Bitcoin miner hits $120,000 revenue"],
    answer: "Yes",
  },
  {
    question: "Will Bitcoin reach $120,000 in November?",
    headlines: ["Bitcoin Cash tops $120,000", "Wrapped Bitcoin hits $120,000"],
    answer: "Yes",
  },
  {
    question: "Will France win the Nations Cup?",
    headlines: ["France win Nations Cup opener", "France win Nations Cup group"],
    answer: "Yes",
  },
  {
    question: "Will France win the Nations Cup?",
    headlines: ["France women win Nations Cup", "France win right to host Nations Cup"],
    answer: "Yes",
  },
  {
    question: "Will Tellmark Space launch Heron Flight 14 by November 30?",
    headlines: [
      "Tellmark Space launches Heron Flight 13",
      "Tellmark Space launches probe into Heron Flight 14",
    ],
    answer: "Yes",
  },
  {
    question: "Will Lab Ostrava release Ostra-6 by January 31?",
    headlines: ["Lab Ostrava releases Ostra-6 teaser", "Lab Ostrava releases statement on Ostra-6"],
    answer: "Yes",
  },
  {
    question: "Will Lab Ostrava release Ostra-6 by January 31?",
    headlines: ["Lab Ostrava releases Ostra-5.5", "Lab Ostrava launches Ostra-6 waitlist"],
    answer: "Yes",
  },
  {
    question: "Will the House pass the budget bill by November 30?",
    headlines: ["Senate passes House budget bill", "White House backs budget bill"],
    answer: "Yes",
  },
  {
    question: "Will the House pass the budget bill by November 30?",
    headlines: ["House passes rule for budget bill", "House passes amendment to budget bill"],
    answer: "Yes",
  },
  {
    question: "Will Rosa Tine win the New York City mayoral election?",
    headlines: ["Rosa Tine wins New York City mayoral primary", "Tine wins New York City debate"],
    answer: "Yes",
  },
  {
    question: "Russia x Ukraine ceasefire by December 31?",
    headlines: [
      "Russia and Ukraine agree ceasefire talks",
      "Russia and Ukraine announce ceasefire talks in Geneva",
    ],
    answer: "Yes",
  },
  {
    question: "Russia x Ukraine ceasefire by December 31?",
    headlines: [
      "Russia and Ukraine agree Easter ceasefire for one day",
      "Russia and Ukraine reach local ceasefire at plant",
    ],
    answer: "Yes",
  },
  {
    question: "Will Dorn be out as prime minister by December 31?",
    headlines: ["Dorn fires defense minister", "Dorn ousts party rival"],
    answer: "Yes",
  },
  {
    question: "Will unemployment in the US be above 4.5% in October?",
    headlines: [
      "Youth unemployment in US rose to 9.6% in October",
      "US unemployment claims rose to 4.6% in October",
    ],
    answer: "Yes",
  },
  {
    question: "Will Brindle Steel close above $500 on November 20?",
    headlines: ["Brindle Steel opens above $500", "Brindle Steel hits $500 in early trade"],
    answer: "Yes",
  },
  {
    question: "Will Dana Cole be named CEO by December 31?",
    headlines: ["Dana Cole names new CEO", "Dana Cole named interim CEO"],
    answer: "Yes",
  },
  {
    question: "Will the Stags advance to the final?",
    headlines: ["Stags advance to semifinal", "Stags eliminated from final"],
    answer: "Yes",
  },
]
