/**
 * Checks that global class names cannot collide (docs/adr/0009-css.md):
 *
 * - Every stylesheet is in a cascade layer (css-layers.mjs).
 * - Every rule starts with a class; only ui/styles/ may style bare elements. A rule about the class of
 *   another file starts with a class of its own: `.waits-tools .btn`, or `.tables-pin:is(.tr:hover *)`.
 * - The first word of a class, up to the hyphen, belongs to one stylesheet: raw-line to artifacts.css.
 * - A class of a screen (or of app/) has one meaning: its own folder alone uses it, in one component, or
 *   the stylesheet declares it: `/* Shared: .raw-space, .raw-note *\/`. A class that nothing uses fails.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postcss from 'postcss'
import ts from 'typescript'
import { layerOf } from './css-layers.mjs'

const names = readdirSync('src', { recursive: true }).map((name) => name.replaceAll('\\', '/'))
const read = (name) => readFileSync(join('src', name), 'utf8')
const problems = []

const owners = new Map()
const classes = new Map() // of a stylesheet: the classes that start its rules, and their places
const shared = new Map()
for (const file of names.filter((name) => name.endsWith('.css')).sort()) {
  if (!layerOf(file))
    problems.push(`src/${file} is in no layer: declare its folder in css-layers.mjs`)
  const root = postcss.parse(read(file))
  const own = new Map()
  root.walkRules((rule) => {
    if (rule.parent?.type === 'atrule' && rule.parent.name.endsWith('keyframes')) return
    for (const selector of rule.selectors) {
      const place = `src/${file}:${rule.source?.start?.line ?? 0}: ${selector}`
      const first = /^\.(-?[A-Za-z_][\w-]*)/.exec(selector)?.[1]
      if (first === undefined) {
        if (!file.startsWith('ui/styles/')) problems.push(`${place} does not start with a class`)
        continue
      }
      own.set(first, own.get(first) ?? place)
      const prefix = first.split('-')[0]
      const owner = owners.get(prefix) ?? file
      owners.set(prefix, owner)
      if (owner !== file) problems.push(`${place} starts with ${prefix}, which is of src/${owner}`)
    }
  })
  classes.set(file, own)
  const declared = new Set()
  root.walkComments(({ text }) => {
    if (!text.startsWith('Shared:')) return
    for (const [, name] of text.matchAll(/\.([\w-]+)/g)) declared.add(name)
  })
  shared.set(file, declared)
}

const COMPARES = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
])
const PARTS = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
])

/** The words of the strings of a source: all of them, and those that are certainly classes. */
function wordsOf(name) {
  const source = ts.createSourceFile(name, read(name), ts.ScriptTarget.Latest, true)
  const words = { all: new Set(), classes: new Set(), begun: [] }
  const visit = (node, isClass) => {
    if (ts.isBinaryExpression(node) && COMPARES.has(node.operatorToken.kind)) return
    const named = ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)
    const isNamed = named && /class(name)?$/i.test(node.name.getText(source))
    if (
      ts.isJsxAttribute(node) &&
      !isNamed &&
      node.initializer?.kind === ts.SyntaxKind.StringLiteral
    )
      return // a test id, a label
    const isHere =
      isClass || isNamed || (ts.isCallExpression(node) && node.expression.getText(source) === 'cx')
    if (PARTS.has(node.kind)) {
      for (const [word] of node.text.matchAll(/(?<![.\w-])[\w-]+/g)) {
        words.all.add(word)
        if (isHere) words.classes.add(word)
        if (isHere && /\w-$/.test(word)) words.begun.push(word) // `tl-handle-${kind}`
      }
    }
    ts.forEachChild(node, (child) => visit(child, isHere))
  }
  visit(source, false)
  return words
}

const folderOf = (name) =>
  name
    .split('/')
    .slice(0, name.startsWith('features/') ? 2 : 1)
    .join('/')
const sources = names
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|\.d\.ts$/.test(name))
  .map((name) => [name, wordsOf(name)])

for (const [file, own] of classes) {
  if (!/^(features|app)\//.test(file)) continue
  for (const [name, place] of own) {
    const uses = ({ all, classes }) => (name.includes('-') ? all : classes).has(name)
    let users = sources.filter(([, words]) => uses(words)).map(([source]) => source)
    if (users.length === 0) {
      const begins = ({ begun }) => begun.some((word) => name.startsWith(word))
      users = sources.filter(([, words]) => begins(words)).map(([source]) => source)
    }
    const inside = users.filter((source) => folderOf(source) === folderOf(file))
    const outside = users.filter((source) => !inside.includes(source))
    const isShared = shared.get(file).delete(name)
    if (outside.length > 0) problems.push(`${place} is also a class in src/${outside.join(', ')}`)
    if (inside.length === 0) problems.push(`${place} is used by nothing`)
    if (inside.length > 1 && !isShared) {
      problems.push(`${place} has several users (${inside.join(', ')}): declare it as Shared`)
    }
    if (inside.length === 1 && isShared) problems.push(`${place} is not shared: ${inside[0]}`)
  }
  for (const name of shared.get(file)) problems.push(`src/${file}: no rule starts with .${name}`)
}

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
