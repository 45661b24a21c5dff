// Sphinx gives each page that has a word the same score. Here a page that has it often comes first (COUNTS, by tools/site: word ->
// [page, times, ...]), pages for readers before pages for developers and lists, and a page before the section of another that is called the same.
const LATER = [[/^(design|source|adding)\//, 2], [/^(changelog|status|benchmarks|methods|references|contributing|experiments)$/, 3], [/\/index$/, 2]];
const stem_counts = () => {
  const stemmer = new Stemmer(), counts = {};
  for (const [word, pairs] of Object.entries(COUNTS.words)) {
    const of_stem = counts[stemmer.stemWord(word)] ??= {};
    for (let k = 0; k < pairs.length; k += 2) of_stem[COUNTS.pages[pairs[k]]] = (of_stem[COUNTS.pages[pairs[k]]] ?? 0) + pairs[k + 1];
  }
  return counts;
};
let counts = null, asked = null;
const often = (page) => {
  counts ??= stem_counts();
  asked ??= (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().match(/\w+/g)?.map((word) => new Stemmer().stemWord(word)) ?? [];
  return asked.reduce((sum, word) => { const times = counts[word]?.[page] ?? 0; return sum + 8 * times / (times + 6); }, 0) / Math.max(asked.length, 1);
};
var Scorer = {
  score: ([page, title, , , score]) => score + often(page) - (title.includes(" > ") ? 8 : 0) - LATER.reduce((sum, [where, less]) => sum + (where.test(page) ? less : 0), 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
