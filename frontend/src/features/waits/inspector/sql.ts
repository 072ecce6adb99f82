/**
 * Cuts a statement into words, strings, numbers and comments for its colours. Never fails: dumps cut
 * statements off, so an open string or comment goes on to the end. Linear.
 */

type SqlPart = {
  readonly kind: 'keyword' | 'string' | 'number' | 'comment' | 'plain'
  readonly text: string
}

const KEYWORDS = new Set(
  `select from where and or not in is null insert into values update set delete replace join left
  right inner outer cross on using group by order having limit offset as distinct union all exists
  between like for share lock mode begin start transaction commit rollback create alter drop table
  index truncate call with case when then else end duplicate key force ignore use desc asc optimize
  analyze show explain interval`.split(/\s+/),
)

const TOKEN =
  /(?<comment>\/\*[\s\S]*?(?:\*\/|$)|--\s[^\n]*|#[^\n]*)|(?<string>'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|$))|(?<quoted>`[^`]*(?:`|$))|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>[A-Za-z_][\w$]*)/g

export function sqlParts(sql: string): SqlPart[] {
  const parts: SqlPart[] = []
  const push = (kind: SqlPart['kind'], text: string) => {
    const last = parts.at(-1)
    if (!text) return
    if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + text }
    else parts.push({ kind, text })
  }
  let at = 0
  for (const match of sql.matchAll(TOKEN)) {
    push('plain', sql.slice(at, match.index))
    const [text] = match
    const found = match.groups ?? {}
    if (found['comment'] !== undefined) push('comment', text)
    else if (found['string'] !== undefined) push('string', text)
    else if (found['number'] !== undefined) push('number', text)
    else push(KEYWORDS.has(text.toLowerCase()) ? 'keyword' : 'plain', text)
    at = match.index + text.length
  }
  push('plain', sql.slice(at))
  return parts
}
