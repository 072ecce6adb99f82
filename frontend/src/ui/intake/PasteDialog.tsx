/**
 * The paste box: text from a chat, a terminal or a ticket. It shows what was understood before anything
 * is stored, and asks at most one question, which may stay open: when was this?
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { api, unwrap } from '@/api/client'
import type { Understood } from '@/api/schema'
import { formatNumber } from '@/format'
import type { PathFile } from '@/state/uploads'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { ShareValue, Time } from '@/ui/display/Value'
import { Dialog } from '@/ui/panels/Dialog'
import { givenOf, NO_GIVEN } from '@/state/given'
import { GivenTimeFields } from './GivenTimeFields'
import './intake.css'

/** The server reads no more of a text for its preview. */
const PREVIEW_CHARACTERS = 200_000

export function PasteDialog({
  open,
  onOpenChange,
  text,
  onText,
  taken,
  onStore,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Kept by the page, so that closing the dialog loses nothing. */
  readonly text: string
  readonly onText: (text: string) => void
  /** Paths that exist already. */
  readonly taken: readonly string[]
  readonly onStore: (file: PathFile, understood: Understood | null) => void
}) {
  const head = useDeferredValue(text.slice(0, PREVIEW_CHARACTERS))
  const preview = useQuery({
    queryKey: ['paste', head],
    queryFn: ({ signal }) =>
      unwrap(api.POST('/api/v1/paste/preview', { body: { text: head }, signal })),
    enabled: open && head.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const understood = head.trim() ? (preview.data ?? null) : null
  const [typedName, setTypedName] = useState<string | null>(null)
  const [draft, setDraft] = useState(NO_GIVEN)
  const name = typedName ?? freeName(understood?.name ?? 'pasted/text.txt', taken)
  const store = () => {
    if (!text.trim() || !name.trim()) return
    const file = new File([text], name.split('/').at(-1) ?? name, { type: 'text/plain' })
    const given = understood?.prints_time ? null : givenOf(draft)
    onStore({ file, path: name.trim(), given }, understood)
    setTypedName(null)
    setDraft(NO_GIVEN)
    onText('')
    onOpenChange(false)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Paste evidence"
      width={760}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form="paste"
            disabled={!text.trim() || !name.trim()}
          >
            Store as an artifact
          </Button>
        </>
      }
    >
      <form
        id="paste"
        className="paste-form"
        onSubmit={(event) => {
          event.preventDefault()
          store()
        }}
      >
        <Field
          label="Text"
          hint="A status dump, stacks, a processlist, a query result, log lines, configuration: as printed."
        >
          {(ids) => (
            <textarea
              {...ids}
              className="input paste-text"
              spellCheck={false}
              autoFocus
              rows={12}
              value={text}
              onChange={(event) => onText(event.target.value)}
            />
          )}
        </Field>
        <div aria-live="polite">
          {preview.error ? (
            <Problem compact error={preview.error} what="The text could not be read" />
          ) : (
            understood && <WhatWasUnderstood understood={understood} />
          )}
        </div>
        {understood && !understood.prints_time && (
          <fieldset className="paste-question">
            <legend>It prints no date (optional)</legend>
            <GivenTimeFields draft={draft} onChange={setDraft} />
          </fieldset>
        )}
        {text.trim() && (
          <Field label="Name">
            {(ids) => (
              <input
                {...ids}
                className="input mono"
                maxLength={300}
                value={name}
                onChange={(event) => setTypedName(event.target.value)}
              />
            )}
          </Field>
        )}
      </form>
    </Dialog>
  )
}

function WhatWasUnderstood({ understood }: { readonly understood: Understood }) {
  if (understood.format === null) {
    return (
      <p className="paste-understood">
        <strong>No known format.</strong> You can store it as text, choose its type afterwards,
        quote its lines as evidence, and make its numbers the values of a run.
      </p>
    )
  }
  return (
    <div className="paste-understood">
      <p>
        <strong>{understood.title}</strong>
        {understood.coverage !== null && (
          <span className="muted">
            {' '}
            · <ShareValue value={understood.coverage} /> of the text understood
          </span>
        )}
      </p>
      <p>
        {understood.records.length === 0
          ? 'It contains no records.'
          : understood.records.map(({ words }) => words).join(', ')}
        {understood.host && <> · host {understood.host}</>}
        {understood.first && (
          <>
            {' '}
            · <Time at={understood.first} zone />
            {understood.last !== understood.first && (
              <>
                {' '}
                – <Time at={understood.last} />
              </>
            )}
          </>
        )}
      </p>
      {understood.problems.length > 0 && (
        <ul className="paste-problems">
          {understood.problems.slice(0, 4).map((problem, index) => (
            <li key={index}>
              {problem.line !== null && <span className="faint">line {problem.line}: </span>}
              {problem.message}
            </li>
          ))}
          {understood.problems_total > 4 && (
            <li className="faint">and {formatNumber(understood.problems_total - 4)} more</li>
          )}
        </ul>
      )}
    </div>
  )
}

/** Return the name, numbered if a file has it already: "pasted/stacks-2.txt". */
export function freeName(name: string, taken: readonly string[]): string {
  const known = new Set(taken)
  if (!known.has(name)) return name
  const dot = name.lastIndexOf('.')
  for (let number = 2; ; number += 1) {
    const next = `${name.slice(0, dot)}-${number}${name.slice(dot)}`
    if (!known.has(next)) return next
  }
}
