/** Find the numbers in lines of text, each with the name and the unit that its words suggest. */

export type FoundNumber = {
  readonly value: number
  readonly name: string
  readonly unit: string
  readonly line: number
}

const MOST = 50
const SPACE = '[\\u2009\\u202f\\u00a0 ]'
const NUMBER = new RegExp(
  `(?<![\\w.,:/-])([+-]?(?:\\d{1,3}(?:(?:,\\d{3})+|(?:${SPACE}\\d{3})+)(?:\\.\\d+)?|\\d+(?:\\.\\d+)?))(?![\\d:]|[.,]\\d|-\\d)`,
  'g',
)
const AFTER = /^[\s~≈]*(%|[A-Za-zµ]+)(?:\s?(?:\/|per\s)\s?([A-Za-z]+))?/
const UNITS =
  /^(?:%|[nµmu]?s|secs?|seconds?|min|minutes?|hours?|h|[kKMGT]i?B|bytes|B|Hz|[kMG]Hz|qps|tps)$/
const LINKS =
  /^(?:a|an|and|are|at|by|for|from|get|i|is|it|of|on|or|over|per|the|to|under|was|were|with)$/i

/** List the numbers of these lines; ``first`` is the number of the first line. */
export function numbersIn(lines: readonly string[], first: number): FoundNumber[] {
  return lines.flatMap((text, index) => numbersOf(text, first + index)).slice(0, MOST)
}

function numbersOf(text: string, line: number): FoundNumber[] {
  return [...text.matchAll(NUMBER)].flatMap((match) => {
    const value = Number((match[1] ?? '').replace(/[,\u2009\u202f\u00a0 ]/g, ''))
    if (!Number.isFinite(value)) return []
    const end = match.index + match[0].length
    const [, word = '', per = ''] = AFTER.exec(text.slice(end)) ?? []
    const rate = per && (/^sec/i.test(per) ? '/s' : `/${per}`)
    if (UNITS.test(word) || !word || LINKS.test(word))
      return [
        {
          value,
          line,
          name: wordsBefore(text.slice(0, match.index)),
          unit: UNITS.test(word) ? word + rate : '',
        },
      ]
    return [{ value, line, name: word, unit: rate }]
  })
}

/** Return the last words before a number that name something: "CPU utilization". */
function wordsBefore(text: string): string {
  const words = (/[^.;:,()]*[:=]?\s*$/.exec(text)?.[0] ?? '').match(/[A-Za-z_][\w.]*/g) ?? []
  return words
    .filter((word) => !LINKS.test(word))
    .slice(-3)
    .join(' ')
}
