/** Every pin of the incident: its value at the time of pinning and its current value. */
import { formatCount, formatMeasured } from '@/format'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useMay } from '@/api/queries'
import { useZone, type Zone } from '@/state/incident'
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { Dialog } from '@/ui/panels/Dialog'
import { Field } from '@/ui/controls/Field'
import { EmptyState, NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { useOfferUndo } from '@/ui/history/undo'
import { Time } from '@/ui/display/Value'
import { Excerpt } from './Excerpt'
import { type Pin, pinsQuery, usePinWrites } from './queries'

export function EvidenceTab({ incidentId }: { readonly incidentId: string }) {
  const list = useQuery(pinsQuery(incidentId))
  const mayWrite = useMay('contributor')
  const writes = usePinWrites(incidentId)
  const [recording, setRecording] = useState(false)
  const offer = useOfferUndo(incidentId)
  if (list.isLoadingError)
    return (
      <Problem
        error={list.error}
        what="The pins could not be read"
        onRetry={() => void list.refetch()}
      />
    )
  if (!list.data) return <SkeletonRows rows={8} />
  const pins = list.data.toSorted((a, b) => Number(b.stale && !b.kept) - Number(a.stale && !a.kept))
  return (
    <div className="hypothesis-evidence-tab scroll">
      <NotRefreshed query={list} />
      <header className="hypothesis-evidence-head">
        <p className="muted">
          A pin keeps its value. When a file is parsed again and the value changes, the pin becomes
          stale and shows both values until somebody accepts the new one.
        </p>
        {mayWrite && (
          <Button onClick={() => setRecording(true)}>Record an absence or testimony</Button>
        )}
      </header>
      {pins.length === 0 && (
        <EmptyState title="No evidence yet">
          Use “Pin as evidence” in any view: a lane, a node, a stack, lines of a file.
        </EmptyState>
      )}
      <ul className="pins">
        {pins.map((pin) => (
          <PinItem
            key={pin.id}
            pin={pin}
            writes={mayWrite ? writes : null}
            onWithdrawn={() => offer('pin', pin.id, `${pin.label} ${pin.title}`)}
          />
        ))}
      </ul>
      {recording && <Record incidentId={incidentId} onClose={() => setRecording(false)} />}
    </div>
  )
}

function PinItem({
  pin,
  writes,
  onWithdrawn,
}: {
  readonly pin: Pin
  readonly writes: ReturnType<typeof usePinWrites> | null
  readonly onWithdrawn: () => void
}) {
  const { parser, parser_version: version, path, line_first: first } = pin.locator
  return (
    <li className="hypothesis-pin" data-testid="pin">
      <span className="evidence-label">{pin.label}</span>
      <div className="hypothesis-pin-body">
        <div className="hypothesis-pin-title">
          <Link to={pin.view}>{pin.title}</Link>
          {pin.evidence_kind !== 'observation' && <Chip>{pin.evidence_kind}</Chip>}
          {pin.stale && <Chip tone="waiting">{pin.kept ? 'stale, kept' : 'stale'}</Chip>}
        </div>
        {pin.stale ? <Stale pin={pin} writes={writes} /> : <Value text={pin.value} />}
        {!pin.value && pin.excerpt && <Excerpt text={pin.excerpt} />}
        <div className="hypothesis-pin-source faint">
          {path && (
            <span className="mono">
              {path.split('/').at(-1)}
              {first ? `:${first}` : ''}
            </span>
          )}
          {parser && (
            <span>
              read by {parser} v{version}
            </span>
          )}
          <span>
            {pin.created_by && `${pin.created_by}, `}
            <Time at={pin.created_at} />
          </span>
        </div>
      </div>
      {pin.picture && (
        <img
          className="hypothesis-pin-picture"
          src={`/api/v1/pins/${pin.id}/picture`}
          alt="Picture of the pinned view"
        />
      )}
      {writes && (
        <Button
          size="small"
          variant="ghost"
          aria-label={`Withdraw ${pin.label}`}
          onClick={() => writes.withdraw.mutate(pin.id, { onSuccess: onWithdrawn })}
        >
          Withdraw
        </Button>
      )}
    </li>
  )
}

const LINES = 3
/** The server cuts a line of a value there. */
const CUT = 300
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const EXPONENT = /(?<![\w.])-?\d(?:\.\d+)?e[+-]?\d\d\b/g

/** The frames of a stack, as the server stores them; the last may be cut. */
const FRAMES = /\bframes \[\{.*/g
const FUNCTION = /"function": "([^"]+)"/g

/** Name the functions of stored frames, innermost first; what is no list of functions stays as it is. */
const namedFrames = (stored: string): string => {
  const functions = [...stored.matchAll(FUNCTION)].map(([, name]) => name)
  const isCut = !stored.trimEnd().endsWith(']')
  return functions.length > 0 ? `in ${functions.join(' < ')}${isCut ? ' < …' : ''}` : stored
}

/** A stored value as people read it: times in the zone of the top bar, functions by name, no powers of ten. */
const readable = (stored: string, zone: Zone): string =>
  stored
    .split('\n')
    .map((line) => (line.length === CUT ? `${line}…` : line))
    .join('\n')
    .replaceAll(FRAMES, namedFrames)
    .replaceAll(TIME, (at) => zone.format(at, 'seconds'))
    .replaceAll(EXPONENT, (number) => formatMeasured(Number(number)))

/** The first lines of a value, expandable to all. */
function Value({ text: stored }: { readonly text: string | null }) {
  const [all, setAll] = useState(false)
  const zone = useZone()
  if (!stored) return null
  const text = readable(stored, zone)
  const lines = text.split('\n')
  const more = lines.length - LINES
  return (
    <div>
      <pre className="hypothesis-pin-value">
        {all || more <= 1 ? text : lines.slice(0, LINES).join('\n')}
      </pre>
      {more > 1 && (
        <button type="button" className="linklike" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Less' : `${formatCount(more, 'more line')}`}
        </button>
      )}
    </div>
  )
}

function Stale({
  pin,
  writes,
}: {
  readonly pin: Pin
  readonly writes: ReturnType<typeof usePinWrites> | null
}) {
  const [reason, setReason] = useState('')
  const answer = (accept: boolean) =>
    writes?.answer.mutate({ pin: pin.id, accept, reason: reason.trim() })
  return (
    <div className="hypothesis-pin-stale">
      <p>{pin.stale_why}</p>
      <dl>
        <dt>Pinned</dt>
        <dd>
          <Value text={pin.value ?? pin.excerpt} />
        </dd>
        {pin.now_value && (
          <>
            <dt>Now</dt>
            <dd>
              <Value text={pin.now_value} />
            </dd>
          </>
        )}
      </dl>
      {pin.now_value && writes && (
        <div className="hypothesis-pin-answer">
          <input
            className="input"
            aria-label="Reason"
            placeholder="Reason (for the audit trail)"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <Button size="small" busy={writes.answer.isPending} onClick={() => answer(true)}>
            Accept the new value
          </Button>
          {!pin.kept && (
            <Button size="small" variant="ghost" onClick={() => answer(false)}>
              Keep the old value
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

const NOTHING = { title: '', words: '' }

/** The dialog that records evidence outside of files: an absence or a testimony. */
function Record({
  incidentId,
  onClose,
}: {
  readonly incidentId: string
  readonly onClose: () => void
}) {
  const { record } = usePinWrites(incidentId)
  const [kind, setKind] = useState<'absence' | 'testimony'>('absence')
  const [draft, setDraft] = useStored(`draft.evidence.${incidentId}`, NOTHING)
  const { title, words } = draft
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title="Record evidence"
      footer={
        <Button
          variant="primary"
          disabled={!title.trim()}
          busy={record.isPending}
          onClick={() =>
            record.mutate(
              {
                kind: 'statement',
                evidence_kind: kind,
                title: title.trim(),
                locator: {},
                view: `/incidents/${incidentId}/hypotheses?tab=evidence`,
                excerpt: words.trim() || null,
              },
              {
                onSuccess: () => {
                  setDraft(NOTHING)
                  onClose()
                },
              },
            )
          }
        >
          Record
        </Button>
      }
    >
      {record.error && (
        <Problem compact error={record.error} what="The evidence was not recorded" />
      )}
      <div className="segments" role="group" aria-label="Kind of evidence">
        <Button size="small" pressed={kind === 'absence'} onClick={() => setKind('absence')}>
          Absence
        </Button>
        <Button size="small" pressed={kind === 'testimony'} onClick={() => setKind('testimony')}>
          Testimony
        </Button>
      </div>
      <Field label={kind === 'absence' ? 'What is absent' : 'Testimony in one line'}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            value={title}
            maxLength={500}
            onChange={(event) => setDraft({ ...draft, title: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={kind === 'absence' ? 'Where you checked' : 'Who, when, in their words'}
        hint={kind === 'absence' ? 'Files, times and search terms' : undefined}
      >
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            value={words}
            onChange={(event) => setDraft({ ...draft, words: event.target.value })}
          />
        )}
      </Field>
    </Dialog>
  )
}
