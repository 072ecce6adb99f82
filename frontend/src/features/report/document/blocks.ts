/** The blocks of a Markdown text, and the changes that move one; pure. */

import type { Text } from '@codemirror/state'

type BlockRange = { readonly from: number; readonly to: number }
type Change = { readonly from: number; readonly to: number; readonly insert: string }

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}#{1,6}(\s|$)/
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s/

/**
 * Split a text into blocks: a paragraph, heading, table with its caption, code, live block, or one item
 * of a list with what is indented beneath it.
 */
export function blocksOf(text: string): BlockRange[] {
  const blocks: { from: number; to: number }[] = []
  let open: { from: number; to: number } | null = null
  let fence: string | null = null
  let from = 0
  for (const line of text.split('\n')) {
    const to = from + line.length
    const last: { from: number; to: number } | undefined = blocks.at(-1)
    const marks = FENCE.exec(line)?.[1]
    if (fence !== null) {
      if (open) open.to = to
      if (marks?.startsWith(fence) && line.trim() === marks) [fence, open] = [null, null]
    } else if (line.trim() === '') {
      open = null
    } else if (open === null && last && belongsTo(text, last, line)) {
      last.to = to
      open = last
    } else if (open === null || marks || HEADING.test(line) || ITEM.test(line)) {
      open = { from, to }
      blocks.push(open)
      if (marks) fence = marks
      else if (HEADING.test(line)) open = null
    } else open.to = to
    from = to + 1
  }
  return blocks
}

const split = new WeakMap<Text, readonly BlockRange[]>()

/** The blocks of a document of the editor, computed once for each of its states. */
export function blocksIn(doc: Text): readonly BlockRange[] {
  const known = split.get(doc) ?? blocksOf(doc.toString())
  split.set(doc, known)
  return known
}

/** Whether a line after a blank one continues the block: a caption its table, indented text its item. */
function belongsTo(text: string, block: BlockRange, line: string): boolean {
  const head = text.slice(block.from, block.to)
  return (
    (line.startsWith('Table: ') && head.startsWith('|')) || (/^\s{2}/.test(line) && ITEM.test(head))
  )
}

/** The index of the block at a position; between two blocks, that of the later one. */
export function blockAt(blocks: readonly BlockRange[], at: number): number {
  const index = blocks.findIndex((block) => at <= block.to)
  return index < 0 ? blocks.length - 1 : index
}

const gap = (before: string, after: string) => (ITEM.test(before) && ITEM.test(after) ? 1 : 2)

/** The change that takes a block out, with the blank lines that it no longer needs. */
export function removal(text: string, index: number): Change {
  const blocks = blocksOf(text)
  const block = blocks[index]
  if (!block) return { from: 0, to: 0, insert: '' }
  const before = blocks[index - 1]
  const after = blocks[index + 1]
  if (!before || !after)
    return { from: before?.to ?? block.from, to: after?.from ?? block.to, insert: '' }
  const words = (range: BlockRange) => text.slice(range.from, range.to)
  const insert = '\n'.repeat(gap(words(before), words(after)))
  return { from: before.to, to: after.from, insert }
}

/** The change that puts a block before the block with this index, or after the last one. */
export function insertion(text: string, index: number, block: string): Change {
  const blocks = blocksOf(text)
  const words = (range: BlockRange) => text.slice(range.from, range.to)
  const before = blocks[index - 1]
  const after = blocks[index]
  if (!after) {
    if (!before) return { from: 0, to: text.length, insert: `${block}\n` }
    const lead = '\n'.repeat(gap(words(before), block))
    return { from: before.to, to: before.to, insert: lead + block }
  }
  const wanted = before ? gap(words(before), block) : 0
  const lead = '\n'.repeat(Math.max(0, wanted - (before ? after.from - before.to : 0)))
  const insert = lead + block + '\n'.repeat(gap(block, words(after)))
  return { from: after.from, to: after.from, insert }
}
