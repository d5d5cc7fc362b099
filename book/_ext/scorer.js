// Search: a page whose title holds the words comes before pages that only mention them.
var Scorer = (() => {
  const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
  const wanted = words(new URLSearchParams(location.search).get("q") ?? "").map((word) => word.replace(/s$/, ""));
  return {
    objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
    title: 15, partialTitle: 7, term: 5, partialTerm: 2,
    score: ([, title, anchor, , score]) => {
      const here = words(title);
      const found = wanted.filter((word) => here.some((other) => other.startsWith(word))).length;
      const term = anchor?.startsWith("#term-"); // the glossary's entry comes after the page of that name
      return score - (term ? 60 : 0) + (wanted.length && !anchor ? (40 * found) / wanted.length : 0);
    },
  };
})();
