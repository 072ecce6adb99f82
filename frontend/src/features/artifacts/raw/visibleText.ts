/**
 * What a line shows: control characters as their pictures, terminal escapes and marks that turn the
 * writing direction by name, so that a line can neither hide nor move anything. Markup is text.
 */

type Part = { readonly text: string; readonly control: boolean }

const CONTROLS =
  // A terminal's escape sequence as a whole, then single characters; a tab stays a tab.
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
