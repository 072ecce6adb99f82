/** Names after an @: which are offered while one types, and where they stand in what was said. */

export type Named = { readonly id: string; readonly name: string }

const MOST = 6

/** Who is offered at the caret: those whose name goes on like what stands after the last @. */
export function namesFor(body: string, caret: number, people: readonly Named[]): Named[] {
  const typed = /(?:^|[^\w.@])@([^@\n]{0,40})$/.exec(body.slice(0, caret))?.[1]
  if (typed === undefined) return []
  const wanted = typed.toLowerCase()
  return people
    .filter(({ name }) => {
      const low = name.toLowerCase()
      return low !== wanted && (low.startsWith(wanted) || low.includes(` ${wanted}`))
    })
    .slice(0, MOST)
}

/** The text with the name put in place of what stands after the last @ before the caret. */
export function complete(
  body: string,
  caret: number,
  name: string,
): { readonly body: string; readonly caret: number } {
  const at = body.lastIndexOf('@', caret - 1)
  if (at < 0) return { body, caret }
  const before = `${body.slice(0, at)}@${name} `
  return { body: before + body.slice(caret), caret: before.length }
}

/** The text in pieces; those that name one of the mentioned people are marked. */
export function pieces(
  body: string,
  mentioned: readonly Named[],
): { readonly text: string; readonly named: boolean }[] {
  const names = mentioned.map((named) => named.name).sort((a, b) => b.length - a.length)
  const found: { text: string; named: boolean }[] = []
  let rest = body
  while (rest) {
    const at = rest.indexOf('@')
    const name =
      at < 0
        ? undefined
        : names.find((name) =>
            rest
              .slice(at + 1)
              .toLowerCase()
              .startsWith(name.toLowerCase()),
          )
    const end = at < 0 ? rest.length : name === undefined ? at + 1 : at
    if (end > 0) found.push({ text: rest.slice(0, end), named: false })
    if (name !== undefined) found.push({ text: rest.slice(at, at + 1 + name.length), named: true })
    rest = rest.slice(name === undefined ? end : at + 1 + name.length)
  }
  return found
}
