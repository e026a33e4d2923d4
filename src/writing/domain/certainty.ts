/**
 * Words that a text may not use freely: words that call something decided, and words that make a number
 * or a unit.
 *
 * All functions take a word in lower case. A disguised word (an accent, a letter of another script) is
 * not in these lists, but it is not a plain word either.
 *
 * @module
 */

/**
 * Whether a word calls something decided or sure to happen. Negation does not matter: `not confirmed`
 * uses `confirmed`. Words for an open state (unresolved, undecided, uncertain, likely) are plain, and so
 * are the names of a future state (resolution, settlement).
 */
export function isWordOfCertainty(word: string): boolean {
  return certainty.has(word.replace(/'s$/, ""))
}

/** Whether a word is a number, a part, a multiple, a sign or a unit of price. */
export function isWordOfNumber(word: string): boolean {
  return number.has(word) || /^(?:twen|thir|for|fif|six|seven|eigh|nine)t(?:y|ie)/.test(word)
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((word) => word !== ""))
}

const certainty = wordsOf(`
absolute absolutely affirm affirmed always ascertain ascertained assure assured assuredly assures
beat beaten beating beats bulletproof cement cemented certain certainly certainties certainty
certified certify champion champions clearly clinch clinched clinches clinching complete completed
completely completes completion conclude concluded concludes conclusive conclusively conquer
conquered confirm confirmation confirmations confirmed confirming confirms decide decided decidedly
decides deciding defeat defeated defeats definite definitely definitive definitively destined
determine determined determines disproved disproven doubtless doomed ensure ensured ensures
establish established establishes evident evidently failsafe final finalise finalised finalize
finalized finally finished foolproof foregone forever foreordained guarantee guaranteed guaranteeing
guarantees imminent imminently impossible impossibly incontestable incontrovertible indeed
indisputable indisputably indubitable indubitably inevitability inevitable inevitably infallible
irrefutable irreversible irrevocable lock locked locks lose loser losers loses losing lost must
never obvious obviously official officially officials ordained plainly prevail prevailed prevails
proof proofs prove proved proven proves proving ratified resolved rigged riskless riskfree secure
secured secures settled settles shall shan't sure surefire surely surety triumph triumphed triumphs
true truly truth truths ultimate ultimately unassailable unavoidable unavoidably undeniable
undeniably undisputed undoubted undoubtedly unequivocal unequivocally unquestionable unquestionably
unstoppable verdict verified verifies verify victor victorious victory vindicated warrant warranted
warrants will win winner winners winning winnings wins won won't we'll they'll it'll he'll she'll
you'll that'll`)

const number = wordsOf(`
zero zeros zeroes zeroth nil nought naught one ones oneself once two twos twice three threes thrice
four fours five fives six sixes seven sevens eight eights nine nines ten tens eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen hundred hundreds hundredth thousand thousands
million millions billion billions trillion trillions second secondly seconds third thirdly thirds
fourth fourths fifth fifths sixth seventh eighth ninth tenth tenths eleventh twelfth half halve
halved halves halving quarter quartered quarterly quarters double doubled doubles doubling doubly
triple tripled triples tripling treble trebled quadruple quadrupled quintuple dozen dozens pair
paired pairs couple couples majority majorities minority minorities percent percentage percentages
percents percentile percentiles permille pct bps bp pp fraction fractions single singles singly sole
solely lone dual duo trio quartet twofold threefold fourfold tenfold hundredfold hundredweight minus
plus cent cents dollar dollars usd usdc euro euros eur pound pounds gbp yen jpy yuan cny rupee
rupees ruble rubles peso pesos franc francs btc eth sats gwei point points pip pips k m bn tn mn`)
