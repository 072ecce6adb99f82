/**
 * Breaks the UI in small ways and counts how often its unit tests notice.
 *
 * A mutant is one change of one expression or statement of a file below src/features. For each, the
 * tests run that import the file, until one fails; Vite serves the changed text, so that no file is
 * written. The tests run once without a change first: those that fail then count for nothing.
 * `make mutants-ui` calls it; the backend's counterpart is scripts/mutants.py.
 *
 * Usage: mutants.mjs [--feature NAME] [--seed N] [--count N] [--seconds N]
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'

const OTHER_WAY = {
  '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===',
  '&&': '||', '||': '&&', '+': '-', '-': '+', '*': '/', '/': '*',
} // prettier-ignore
const LEFT_OUT = ['filter', 'sort', 'toSorted', 'reverse', 'slice', 'trim', 'toLowerCase']
const OTHER_CALL = { min: 'max', max: 'min', some: 'every', every: 'some' }

const { values: options } = parseArgs({
  options: {
    feature: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    count: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '900' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'pileup-mutants-'))
const root = import.meta.dirname

/** Returns numbers from 0 to 1 that follow from the seed (mulberry32). */
function chanceOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Yields the changes of a node: what kind, and the text that goes there instead. */
function* changesOf(node, text) {
  const of = (part) => text.slice(part.getStart(), part.end)
  if (ts.isBinaryExpression(node)) {
    const operator = of(node.operatorToken)
    const other = OTHER_WAY[operator]
    const isText = [node.left, node.right].some((side) => /^['"`]/.test(of(side)))
    if (other && !('+-'.includes(operator) && isText))
      yield [
        operator.length > 2 ? 'comparison' : operator,
        `${of(node.left)} ${other} ${of(node.right)}`,
      ]
    if (operator === '&&' || operator === '||') {
      yield ['clause', of(node.left)]
      yield ['clause', of(node.right)]
    }
    if (operator === '??') yield ['clause', of(node.left)]
  } else if (ts.isConditionalExpression(node)) {
    yield ['choice', of(node.whenTrue)]
    yield ['choice', of(node.whenFalse)]
  } else if (ts.isPrefixUnaryExpression(node) && text[node.getStart()] === '!') {
    yield ['not', of(node.operand)]
  } else if (node.kind === ts.SyntaxKind.TrueKeyword) yield ['flag', 'false']
  else if (node.kind === ts.SyntaxKind.FalseKeyword) yield ['flag', 'true']
  else if (ts.isNumericLiteral(node)) yield ['number', `(${of(node)} + 1)`]
  else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression
    if (LEFT_OUT.includes(name.text)) yield ['left out', of(expression)]
    const other = OTHER_CALL[name.text]
    if (other) yield ['other call', `${of(expression)}.${other}${text.slice(name.end, node.end)}`]
  } else if (ts.isIfStatement(node) && !node.elseStatement) {
    yield ['early exit', `if (false) ${of(node.thenStatement)}`]
  } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
    yield ['statement', ';']
  }
}

/** Returns every change of a file that this runner knows; types and imports are left alone. */
function mutantsOf(file) {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = []
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return
    for (const [kind, instead] of changesOf(node, text)) {
      const start = node.getStart()
      const line = source.getLineAndCharacterOfPosition(start).line + 1
      found.push({
        file,
        kind,
        line,
        start,
        end: node.end,
        was: text.slice(start, node.end),
        instead,
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Draws files by their length, then a kind of change, then a change; no line twice. */
function draw(files, count, chance) {
  const pick = (items) => items[Math.floor(chance() * items.length)]
  const byLength = files.flatMap((file) =>
    Array(Math.ceil(readFileSync(file).length / 500)).fill(file),
  )
  const drawn = []
  for (let misses = 0; drawn.length < count && misses < 200;) {
    const file = pick(byLength)
    const taken = drawn.filter((mutant) => mutant.file === file).map((mutant) => mutant.line)
    const mutants = mutantsOf(file).filter((mutant) => !taken.includes(mutant.line))
    const kind = pick([...new Set(mutants.map((mutant) => mutant.kind))])
    const mutant = pick(mutants.filter((each) => each.kind === kind))
    if (mutant) drawn.push(mutant)
    else misses += 1
  }
  return drawn
}

/** Runs the tests that import a file, and returns those that fail: names, or null without a test. */
function failing(file, mutant) {
  const output = join(folder, 'out.json')
  rmSync(output, { force: true })
  const words = [
    'related',
    '--run',
    file,
    '--config',
    'vite.mutants.config.ts',
    '--reporter',
    'json',
    '--outputFile',
    output,
  ]
  const ran = spawnSync(
    'npx',
    ['--no-install', 'vitest', ...words, ...(mutant ? ['--bail', '1'] : [])],
    {
      cwd: root,
      timeout: 300_000,
      env: { ...process.env, VITEST_MAX_WORKERS: '1', MUTANT: JSON.stringify(mutant ?? null) },
    },
  )
  if (ran.error) return ['out of time']
  const { testResults = [] } = JSON.parse(readFileSync(output, 'utf8'))
  if (!testResults.length) return null
  return testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message && !assertionResults.length ? [relative(root, name)] : []),
    ...assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  ])
}

const short = (text) => text.replace(/\s+/g, ' ').slice(0, 70)
const features = join(root, 'src/features', options.feature)
const files = readdirSync(features, { recursive: true })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
  .sort()
  .map((name) => join(features, name))
const until = Date.now() + 1000 * Number(options.seconds)
const without = new Map()
let noticed = 0
let all = 0
for (const mutant of draw(files, Number(options.count), chanceOf(Number(options.seed)))) {
  if (Date.now() > until) break
  if (!without.has(mutant.file)) without.set(mutant.file, failing(mutant.file))
  const known = without.get(mutant.file)
  const found =
    known && (failing(mutant.file, mutant) ?? []).filter((name) => !known.includes(name))
  const by = found ? (found[0] ?? 'tests import it') : 'no test imports it'
  all += 1
  noticed += found?.length ? 1 : 0
  const verdict = found?.length ? 'noticed ' : 'SURVIVED'
  const where = `${relative(join(root, 'src'), mutant.file)}:${mutant.line}`
  process.stdout.write(
    `${verdict} ${where}  ${short(mutant.was)}  →  ${short(mutant.instead)}  (${by})\n`,
  )
}
process.stdout.write(`\nseed ${options.seed}: ${noticed} of ${all} noticed\n`)
rmSync(folder, { recursive: true })
