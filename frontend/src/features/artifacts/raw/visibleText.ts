/**
 * Displayed text of a line: control characters as symbols, terminal escapes and direction marks by name,
 * so that a line cannot hide or reorder text. Markup stays plain text.
 */

type Part = { readonly text: string; readonly control: boolean }

const CONTROLS =
  // A whole terminal escape sequence, then single characters; a tab stays a tab.
  // eslint-disable-next-line no-control-regex
  /\u001b\[[0-9;?]{0,20}[@-~]|[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b-\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

export function visibleParts(line: string): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const match of line.matchAll(CONTROLS)) {
    if (match.index > from) parts.push({ text: line.slice(from, match.index), control: false })
    const last = parts.at(-1)
    const text = visibleSign(match[0])
    if (last?.control) parts[parts.length - 1] = { text: last.text + text, control: true }
    else parts.push({ text, control: true })
    from = match.index + match[0].length
  }
  if (from < line.length) parts.push({ text: line.slice(from), control: false })
  return parts
}

function visibleSign(name: string): string {
  const code = name.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code) + name.slice(1)
  if (code === 0x7f) return '\u2421'
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
