/**
 * Pinning evidence: a view passes a locator and its own address, and the user chooses the hypothesis
 * that the evidence supports or contradicts. Every view uses the same dialog.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useRef,
  useState,
} from 'react'
import { api, unwrap } from '@/api/client'
import { svgOfElement } from '@/charts/exportSvg'
import { keys } from '@/api/keys'
import { refresh, useMay } from '@/api/queries'
import type { Hypothesis, NewPin } from '@/api/schema'
import { useStored } from '@/state/stored'
import { exactAddress } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { Field } from '@/ui/controls/Field'
import { PinIcon } from '@/ui/controls/icons'
import { Problem } from '@/ui/display/States'
import './pin.css'

/** A pin before it is saved; without `view`, the address at the opening of the dialog is used. */
export type PinDraft = Omit<NewPin, 'view' | 'evidence_kind'> & {
  readonly view?: string
  readonly evidence_kind?: NewPin['evidence_kind']
}
type Side = 'for' | 'against' | 'neutral'

type Request = { readonly incidentId: string; readonly pin: NewPin }

const PinContext = createContext<((request: Request) => void) | null>(null)

/** Return a function that opens the dialog: `usePin(incidentId)({kind, title, locator})`. */
export function usePin(incidentId: string): (pin: PinDraft) => void {
  const open = useContext(PinContext)
  if (!open) throw new Error('usePin() outside of <PinProvider>')
  return useCallback(
    (pin) => {
      open({
        incidentId,
        pin: { evidence_kind: 'observation', ...pin, view: pin.view ?? exactAddress() },
      })
    },
    [open, incidentId],
  )
}

/** The "Pin as evidence" button; hidden from users who may not write. */
export function PinButton({
  pin,
  incidentId,
  size = 'small',
  children = 'Pin as evidence',
}: {
  readonly pin: PinDraft | (() => PinDraft)
  readonly incidentId: string
  readonly size?: 'small' | 'normal'
  readonly children?: ReactNode
}) {
  const open = usePin(incidentId)
  if (!useMay('contributor')) return null
  return (
    <Button
      size={size}
      data-pin
      icon={<PinIcon size={14} />}
      onClick={(event) => {
        const draft = typeof pin === 'function' ? pin() : pin
        const picture = draft.picture ?? pictureNear(event.currentTarget, draft.title)
        open({ ...draft, picture })
      }}
    >
      {children}
    </Button>
  )
}

/** Largest picture that the server accepts, in characters. */
export const MAX_PICTURE = 200_000

/** Return the nearest drawing marked with data-pin-picture as SVG; null without one. */
function pictureNear(button: HTMLElement, title: string): string | null {
  for (let at = button.parentElement; at && at.tagName !== 'MAIN'; at = at.parentElement) {
    const drawing = at.querySelector<SVGSVGElement>('svg[data-pin-picture]')
    if (!drawing) continue
    const svg = svgOfElement(drawing, { title })
    return svg.length <= MAX_PICTURE ? svg : null
  }
  return null
}

/** Provide the single pin dialog of the app. */
export function PinProvider({ children }: { readonly children: ReactNode }) {
  const [request, setRequest] = useState<Request | null>(null)
  const open = useCallback((next: Request) => setRequest(next), [])
  return (
    <PinContext.Provider value={open}>
      {children}
      {request && (
        <PinDialog
          key={request.pin.view + request.pin.title}
          request={request}
          onClose={() => setRequest(null)}
        />
      )}
    </PinContext.Provider>
  )
}

const NEW = 'new'
const NONE = 'none'

function PinDialog({
  request,
  onClose,
}: {
  readonly request: Request
  readonly onClose: () => void
}) {
  const { incidentId, pin } = request
  const [title, setTitle] = useState(pin.title)
  const [choice, setChoice] = useState<string | null>(null)
  const [statement, setStatement] = useStored(`draft.pin.${incidentId}`, '')
  const [side, setSide] = useState<Side>('for')
  const [note, setNote] = useStored(`draft.pin-note.${incidentId}`, '')
  const [absent, setAbsent] = useState(pin.evidence_kind === 'absence')
  const hypotheses = useQuery({
    queryKey: keys.of(incidentId, 'hypotheses'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/hypotheses', {
          params: { path: { incident_id: incidentId } },
        }),
      ),
  })
  const open = useMemo(
    () => (hypotheses.data ?? []).filter((item) => item.status !== 'superseded'),
    [hypotheses.data],
  )
  const chosen = choice ?? open[0]?.id ?? NEW
  const save = useSavePin(incidentId, () => {
    setStatement('')
    setNote('')
    onClose()
  })
  const ready = title.trim() !== '' && (chosen !== NEW || statement.trim() !== '')
  const submit = () =>
    save.mutate({
      pin: {
        ...pin,
        title: title.trim(),
        evidence_kind: absent ? 'absence' : pin.evidence_kind,
      },
      target:
        chosen === NONE ? null : chosen === NEW ? { statement: statement.trim() } : { id: chosen },
      side,
      note: note.trim(),
    })

  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title="Pin as evidence"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={!ready} busy={save.isPending} onClick={submit}>
            Pin
          </Button>
        </>
      }
    >
      <form
        className="pin-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready && !save.isPending) submit()
        }}
      >
        <Field label="What it shows">
          {(ids) => (
            <input
              {...ids}
              className="input"
              value={title}
              maxLength={500}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        {pin.locator.path && (
          <div className="pin-where mono ellipsis" title={pin.locator.path}>
            {whereText(pin)}
          </div>
        )}
        <label className="pin-absent">
          <input
            type="checkbox"
            checked={absent}
            onChange={(event) => setAbsent(event.target.checked)}
          />
          It shows that something is absent
        </label>
        <HypothesisField
          query={hypotheses}
          open={open}
          chosen={chosen}
          onChoose={setChoice}
          statement={statement}
          onStatement={setStatement}
        />
        {chosen !== NONE && <SideField side={side} onSide={setSide} />}
        <Field label="Note" hint="Why it matters (optional).">
          {(ids) => (
            <textarea
              {...ids}
              className="textarea"
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          )}
        </Field>
        {save.error && <Problem compact error={save.error} what="The pin was not saved" />}
        <button type="submit" hidden />
      </form>
    </Dialog>
  )
}

function HypothesisField({
  query,
  open,
  chosen,
  onChoose,
  statement,
  onStatement,
}: {
  readonly query: { readonly isLoadingError: boolean; readonly error: unknown }
  readonly open: readonly Hypothesis[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly statement: string
  readonly onStatement: (statement: string) => void
}) {
  return (
    <fieldset className="pin-set">
      <legend className="field-label">Hypothesis</legend>
      {query.isLoadingError ? (
        <Problem compact error={query.error} what="The hypotheses could not be read" />
      ) : (
        open.map((item) => (
          <HypothesisChoice
            key={item.id}
            item={item}
            checked={chosen === item.id}
            onChoose={() => onChoose(item.id)}
          />
        ))
      )}
      <label className="choice">
        <input
          type="radio"
          name="hypothesis"
          checked={chosen === NEW}
          onChange={() => onChoose(NEW)}
        />
        <span>A new hypothesis</span>
      </label>
      <label className="choice">
        <input
          type="radio"
          name="hypothesis"
          checked={chosen === NONE}
          onChange={() => onChoose(NONE)}
        />
        <span>None yet: add it to the matrix unrated</span>
      </label>
      {chosen === NEW && (
        <textarea
          className="textarea"
          aria-label="Statement of the new hypothesis"
          placeholder="X causes Y because Z"
          value={statement}
          onChange={(event) => onStatement(event.target.value)}
        />
      )}
    </fieldset>
  )
}

function SideField({
  side,
  onSide,
}: {
  readonly side: Side
  readonly onSide: (side: Side) => void
}) {
  return (
    <div className="field">
      <span className="field-label" id="pin-side">
        This evidence is
      </span>
      <div className="segments" role="group" aria-labelledby="pin-side">
        {SIDES.map(([value, label]) => (
          <Button key={value} size="small" pressed={side === value} onClick={() => onSide(value)}>
            {label}
          </Button>
        ))}
      </div>
    </div>
  )
}

const SIDES: readonly (readonly [Side, string])[] = [
  ['for', '+ for it'],
  ['against', '− against it'],
  ['neutral', '○ neither'],
]

function HypothesisChoice({
  item,
  checked,
  onChoose,
}: {
  readonly item: Hypothesis
  readonly checked: boolean
  readonly onChoose: () => void
}) {
  return (
    <label className="choice">
      <input type="radio" name="hypothesis" checked={checked} onChange={onChoose} />
      <span className="pin-statement">{item.statement}</span>
      <span className="faint">
        {item.confidence === null ? item.status : `${item.confidence}%`}
      </span>
    </label>
  )
}

type Save = {
  readonly pin: NewPin
  /** The hypothesis; null for none yet. */
  readonly target: { readonly id: string } | { readonly statement: string } | null
  readonly side: Side
  readonly note: string
}

/**
 * Save a new hypothesis, the pin, then the evidence that connects them. A retry after a partial failure
 * continues from there and creates nothing twice.
 */
function useSavePin(incidentId: string, onDone: () => void) {
  const client = useQueryClient()
  const params = { path: { incident_id: incidentId } }
  const made = useRef<{ hypothesis?: string; statement?: string; pin?: string }>({})
  return useMutation({
    mutationFn: async ({ pin, target, side, note }: Save) => {
      const done = made.current
      if (target && 'statement' in target && done.statement !== target.statement) {
        const created = await unwrap(
          api.POST('/api/v1/incidents/{incident_id}/hypotheses', {
            params,
            body: { statement: target.statement, falsifier: '', mechanisms: [] },
          }),
        )
        done.hypothesis = created.id
        done.statement = target.statement
      }
      done.pin ??= (
        await unwrap(api.POST('/api/v1/incidents/{incident_id}/pins', { params, body: pin }))
      ).id
      if (!target) return null
      const hypothesisId = 'id' in target ? target.id : (done.hypothesis ?? '')
      return unwrap(
        api.POST('/api/v1/hypotheses/{hypothesis_id}/evidence', {
          params: { path: { hypothesis_id: hypothesisId } },
          body: { pin_id: done.pin, side, note },
        }),
      )
    },
    onSuccess: () => {
      onDone()
    },
    onSettled: () => {
      void refresh(client, incidentId, 'pins')
    },
  })
}

function whereText({ locator }: NewPin): string {
  const { path, line_first: first, line_last: last } = locator
  if (!first) return path ?? ''
  return `${path ?? ''}:${first}${last && last !== first ? `–${last}` : ''}`
}
