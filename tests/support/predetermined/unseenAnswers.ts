/**
 * Answers written after the checks were finished; the checks were not changed for them. The true ones
 * measure false refusals on new wording, the wrong ones false acceptances.
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
]
