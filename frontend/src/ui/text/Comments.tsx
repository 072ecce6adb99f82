/** Comments on a hypothesis, a pin, a cell or a section; @ mentions and notifies somebody. */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useMay, useMe } from '@/api/queries'
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { InspectorSection } from '@/ui/panels/Inspector'
import { Problem } from '@/ui/display/States'
import { useOfferUndo } from '@/ui/history/undo'
import { Time } from '@/ui/display/Value'
import { complete, type Named, namesFor, pieces } from './mentions'
import { commentsQuery, peopleQuery, useCommentWrites } from './commentQueries'
import './comments.css'

type Props = {
  readonly incidentId: string
  readonly subject: string
  /** The field takes the focus when this becomes true. */
  readonly writing?: boolean
  readonly onWritten?: () => void
}

export function Comments({ incidentId, subject, writing = false, onWritten }: Props) {
  const { user } = useMe()
  const mayWrite = useMay('contributor')
  const { data, error } = useQuery(commentsQuery(incidentId, subject))
  const { add, remove } = useCommentWrites(incidentId)
  const offer = useOfferUndo(incidentId)
  return (
    <InspectorSection title={`Comments${data?.length ? ` (${data.length})` : ''}`}>
      {error && <Problem compact error={error} what="The comments could not be read" />}
      {remove.error && <Problem compact error={remove.error} what="The comment was not deleted" />}
      <ul className="comments">
        {data?.map((item) => (
          <li key={item.id} data-testid="comment">
            <div className="comment-head">
              <b>{item.by}</b>
              <span className="faint">
                <Time at={item.at} />
                {item.edited_at && ', edited'}
              </span>
              {item.by_id === user.id && mayWrite && (
                <Button
                  size="small"
                  variant="ghost"
                  onClick={() =>
                    remove.mutate(item.id, {
                      onSuccess: () => offer('comment', item.id, item.body),
                    })
                  }
                >
                  Delete
                </Button>
              )}
            </div>
            <p className="comment-body">
              {pieces(item.body, item.mentions).map((piece, index) =>
                piece.named ? <mark key={index}>{piece.text}</mark> : piece.text,
              )}
            </p>
          </li>
        ))}
      </ul>
      {mayWrite && (
        <Composer
          key={subject}
          draft={`draft.comment.${incidentId}.${subject}`}
          writing={writing}
          busy={add.isPending}
          onSay={(body, done) =>
            add.mutate(
              { subject, body },
              {
                onSuccess: () => {
                  done()
                  onWritten?.()
                },
              },
            )
          }
        />
      )}
      {add.error && (
        <Problem compact error={add.error} what="The comment was not saved; your text is above" />
      )}
    </InspectorSection>
  )
}

function Composer({
  draft,
  writing,
  busy,
  onSay,
}: {
  /** Storage key of the unsent text. */
  readonly draft: string
  readonly writing: boolean
  readonly busy: boolean
  readonly onSay: (body: string, done: () => void) => void
}) {
  const people = useQuery(peopleQuery)
  const [body, setBody] = useStored(draft, '')
  const [caret, setCaret] = useState(0)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (writing) field.current?.focus()
  }, [writing])
  const offered = namesFor(body, caret, people.data ?? [])
  const take = (person: Named) => {
    const next = complete(body, caret, person.name)
    setBody(next.body)
    setCaret(next.caret)
    field.current?.focus()
  }
  const submit = () => {
    if (body.trim() && !busy) onSay(body.trim(), () => setBody(''))
  }
  const onKey = (event: KeyboardEvent) => {
    const first = offered[0]
    if (first && (event.key === 'Tab' || event.key === 'Enter')) {
      event.preventDefault()
      take(first)
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      submit()
    }
  }
  return (
    <div className="comment-write">
      <textarea
        ref={field}
        className="textarea"
        rows={2}
        aria-label="Comment"
        placeholder="Explain why; @ mentions somebody"
        value={body}
        onChange={(event) => {
          setBody(event.target.value)
          setCaret(event.target.selectionStart)
        }}
        onKeyDown={onKey}
      />
      {offered.length > 0 && (
        <ul className="comment-names" aria-label="People">
          {offered.map((person) => (
            <li key={person.id}>
              <button type="button" onClick={() => take(person)}>
                {person.name}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Button size="small" disabled={!body.trim()} busy={busy} onClick={submit}>
        Comment
      </Button>
    </div>
  )
}
