/**
 * What a label adds in its first brackets and after them, before more words: 'idle in transaction 9 s, ',
 * 'redo flush, whose leader writes to a table (fts_sync), '.
 */
export function bracketed(label: string): string {
  const start = label.indexOf(' (')
  if (start < 0) return ''
  let depth = 0
  for (let at = start + 1; at < label.length; at++) {
    if (label[at] === '(') depth += 1
    if (label[at] === ')') depth -= 1
    if (depth === 0) return `${label.slice(start + 2, at)}${label.slice(at + 1)}, `
  }
  return `${label.slice(start + 2)}, `
}
