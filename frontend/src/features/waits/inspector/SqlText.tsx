/** A whole statement, in colours. */
import { sqlParts } from './sql'

export function SqlText({ sql }: { readonly sql: string }) {
  return (
    <pre className="waits-query mono">
      {sqlParts(sql).map((part, index) =>
        part.kind === 'plain' ? (
          part.text
        ) : (
          <span key={index} className={`sql-${part.kind}`}>
            {part.text}
          </span>
        ),
      )}
    </pre>
  )
}
