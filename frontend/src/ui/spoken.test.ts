import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/**
 * What a screen reader says and what the keyboard reaches becomes no less: how often each feature names an attribute
 * for them, at least (spoken.txt). Whoever adds one raises the number; whoever takes one away says so by lowering it.
 */
const ATTRIBUTE = /\b(aria-[a-z]+|role|alt|tabIndex|onKeyDown|visually-hidden)(?=[=" ])/g

function counted() {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx$/.test(name) && !/\.test\.|testing\//.test(name),
  )
  const found = new Map<string, number>()
  for (const name of files) {
    const [area, part] = dirname(name).split('/')
    for (const [attribute] of readFileSync(join('src', name), 'utf8').matchAll(ATTRIBUTE)) {
      const key = `${area}${part ? `/${part}` : ''} ${attribute}`
      found.set(key, (found.get(key) ?? 0) + 1)
    }
  }
  return found
}

test('no feature says less to a screen reader or to the keyboard', () => {
  const found = counted()
  const agreed = readFileSync('src/ui/spoken.txt', 'utf8').split('\n').filter(Boolean)
  expect(agreed.length).toBeGreaterThan(80)
  const fewer = agreed.filter((line) => {
    const [, key, least] = /^(.+) (\d+)$/.exec(line) ?? []
    return (found.get(key ?? '') ?? 0) < Number(least)
  })
  expect(fewer).toEqual([])
})
