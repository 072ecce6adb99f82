/** A new hypothesis: falsifiable, with what would show that it is false. */
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { useHypothesisWrites } from './queries'

type Props = { incidentId: string; onClose: () => void; onMade: (id: string) => void }

const EMPTY = { statement: '', falsifier: '', confidence: '', tags: '' }

export function NewHypothesis({ incidentId, onClose, onMade }: Props) {
  const { create } = useHypothesisWrites(incidentId)
  const [draft, setDraft] = useStored(`draft.hypothesis.${incidentId}`, EMPTY)
  const { statement, falsifier, confidence, tags } = draft
  const percent = confidence === '' ? null : Number(confidence)
  const wrong = percent !== null && !(percent >= 0 && percent <= 100)
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title="New hypothesis"
      footer={
        <Button
          variant="primary"
          busy={create.isPending}
          disabled={!statement.trim() || wrong}
          onClick={() =>
            create.mutate(
              {
                statement: statement.trim(),
                falsifier: falsifier.trim(),
                confidence: percent,
                mechanisms: tags
                  .split(',')
                  .map((tag) => tag.trim())
                  .filter(Boolean),
              },
              {
                onSuccess: (made) => {
                  setDraft(EMPTY)
                  onMade(made.id)
                  onClose()
                },
              },
            )
          }
        >
          Propose
        </Button>
      }
    >
      {create.isError && <Problem compact error={create.error} what="It was not saved" />}
      <Field label="Statement" hint="X causes Y because Z">
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            rows={3}
            value={statement}
            onChange={(event) => setDraft({ ...draft, statement: event.target.value })}
          />
        )}
      </Field>
      <Field label="Would be false if" hint="What you would see if it were wrong">
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            rows={2}
            value={falsifier}
            onChange={(event) => setDraft({ ...draft, falsifier: event.target.value })}
          />
        )}
      </Field>
      <Field label="Mechanisms" hint="Tags, with commas between: row lock, purge lag">
        {(ids) => (
          <input
            {...ids}
            className="input"
            value={tags}
            onChange={(event) => setDraft({ ...draft, tags: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Confidence in percent"
        hint="Leave empty for no opinion yet"
        problem={wrong ? 'A number from 0 to 100' : undefined}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            inputMode="numeric"
            value={confidence}
            onChange={(event) => setDraft({ ...draft, confidence: event.target.value })}
          />
        )}
      </Field>
    </Dialog>
  )
}
