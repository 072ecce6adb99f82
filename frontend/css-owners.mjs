/**
 * Checks that global class names cannot collide. Every rule starts with a class, and a class that
 * starts rules belongs to one CSS file. A rule about the class of another file starts with a class
 * of its own: `.waits-tools .btn`, or `.tables-pin:is(.tr:hover *)`. Only ui/styles/ may style bare
 * elements.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postcss from 'postcss'

const files = readdirSync('src', { recursive: true })
  .filter((name) => name.endsWith('.css'))
  .sort()
const owners = new Map()
const problems = []

for (const file of files) {
  postcss.parse(readFileSync(join('src', file), 'utf8')).walkRules((rule) => {
    if (rule.parent?.type === 'atrule' && rule.parent.name.endsWith('keyframes')) return
    for (const selector of rule.selectors) {
      const place = `src/${file}:${rule.source?.start?.line ?? 0}: ${selector}`
      const first = /^\.(-?[A-Za-z_][\w-]*)/.exec(selector)?.[1]
      if (first === undefined) {
        if (!file.startsWith('ui/styles/')) problems.push(`${place} does not start with a class`)
        continue
      }
      const owner = owners.get(first) ?? file
      owners.set(first, owner)
      if (owner !== file) problems.push(`${place} starts with a class of src/${owner}`)
    }
  })
}

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
