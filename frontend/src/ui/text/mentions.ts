/** Mentions (@ and a name): completions while typing, and their positions in a text. */

export type Named = { readonly id: string; readonly name: string }

const MOST = 6

/** List the people whose name starts with the text between the last @ and the caret. */
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

/** Replace the text between the last @ and the caret with the name. */
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

/** Split the text into pieces and mark those that mention one of the people. */
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
