/**
 * Five questions that a careful writer was asked, with the answers, in the form of the planted cases; and
 * what must become of each answer.
 *
 * The headlines are those of the simulated venue. Since copies of one text count once and a correction
 * decides nothing, two of the answers are refused that earlier rules accepted.
 *
 * @module
 */
import type { PlantedCase } from "./planted.ts"

interface CarefulAnswer extends PlantedCase {
  readonly id: string
  /** False when the writer answered that nothing is determined. */
  readonly determined: boolean
  /** The kind of the accepted item, or why the answer is refused. */
  readonly verdict: string
}

const poll = (title: string, hoursAgo: number, publisher: string) => ({
  title,
  hoursAgo,
  publisher,
})

export const carefulAnswers: ReadonlyArray<CarefulAnswer> = [
  {
    id: "0002",
    question: "Will annual inflation in Kenya be above 4.8% in November 2026?",
    endsAt: "2026-11-19T18:00:00Z",
    now: "2026-11-22T01:47:51Z",
    proposed: { outcome: 0, hoursAgo: 55 },
    headlines: [],
    ...{ determined: true, answer: "Yes", verdict: "contested_proposal" },
  },
  {
    id: "0135",
    question: "Will the Civic Alliance win the most seats in Portugal by November 21?",
    endsAt: "2026-11-21T03:00:00Z",
    now: "2026-11-22T01:55:21Z",
    proposed: { outcome: 1, hoursAgo: 22 },
    headlines: [
      poll(
        "Civic Alliance do not win the most seats in Portugal, final count shows",
        21,
        "North Coast Radio",
      ),
      poll(
        "Civic Alliance do not win the most seats in Portugal, final count shows",
        22,
        "The Harbor Ledger",
      ),
    ],
    ...{ determined: true, answer: "No", verdict: "evidence" },
  },
  {
    // Rests on one report, and that is a correction.
    id: "0137",
    question: "Will the Reform Union win the most seats in Canada by November 23?",
    endsAt: "2026-11-23T07:00:00Z",
    now: "2026-11-22T01:55:21Z",
    headlines: [
      poll(
        "Correction: Reform Union win the most seats in Canada, final count shows",
        22,
        "Meridian Wire",
      ),
      poll("Reform Union gain in new poll of Canada", 11, "Meridian Wire"),
      poll("Reform Union gain in new poll of Canada", 12, "North Coast Radio"),
    ],
    ...{ determined: true, answer: "Yes", verdict: "unsupported" },
  },
  {
    id: "0138",
    question: "Ironwood Stags vs. Harbor City Gulls",
    outcomes: ["Ironwood Stags", "Harbor City Gulls"],
    endsAt: "2026-11-25T17:15:00Z",
    gameStartsAt: "2026-11-24T17:15:00Z",
    now: "2026-11-22T01:55:21Z",
    headlines: [
      poll("Northgate Rovers beat Harbor City Gulls", 2, "North Coast Radio"),
      poll("Correction: Cavern Foxes beat Harbor City Gulls", 9, "Quillon Post"),
      poll("Harbor City Gulls beat Cavern Foxes", 12, "North Coast Radio"),
      poll("Harbor City Gulls beat Cavern Foxes", 12, "The Harbor Ledger"),
      poll("Northgate Rovers without their captain against Ironwood Stags", 4, "The Harbor Ledger"),
      poll("Ironwood Stags vs. Northgate Rovers: what to expect", 11, "Meridian Wire"),
      poll(
        "Ironwood Stags without their captain against Harbor City Gulls",
        11,
        "North Coast Radio",
      ),
      poll("Ironwood Stags without their captain against Harbor City Gulls", 12, "Quillon Post"),
    ],
    ...{ determined: false, answer: "Harbor City Gulls", verdict: "undetermined" },
  },
  {
    // A rival has won, by one report that is a correction.
    id: "0144",
    question: "Will the Civic Alliance win the most seats in Canada by November 23?",
    endsAt: "2026-11-23T17:00:00Z",
    now: "2026-11-22T01:55:21Z",
    siblings: ["Will the Reform Union win the most seats in Canada by November 23?"],
    headlines: [
      poll(
        "Correction: Reform Union win the most seats in Canada, final count shows",
        22,
        "Meridian Wire",
      ),
      poll("Civic Alliance lose ground in new poll of Canada", 18, "Quillon Post"),
      poll("Civic Alliance lose ground in new poll of Canada", 19, "The Harbor Ledger"),
      poll("Civic Alliance lose ground in new poll of Canada", 19, "North Coast Radio"),
      poll(
        "Civic Alliance do not win the most seats in Portugal, final count shows",
        21,
        "North Coast Radio",
      ),
      poll(
        "Civic Alliance do not win the most seats in Portugal, final count shows",
        22,
        "The Harbor Ledger",
      ),
    ],
    ...{ determined: true, answer: "No", verdict: "unsupported" },
  },
]
