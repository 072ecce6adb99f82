/** The dialog for a new hypothesis, with the observation that would disprove it. */
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { EditableField } from '@/ui/controls/EditableField'
import { HappenedField, useGiven } from '@/ui/controls/HappenedField'
import { Problem } from '@/ui/display/States'
import { FIELDS, tagsOf } from './fields'
import { useHypothesisWrites } from './queries'

type Props = { incidentId: string; onClose: () => void; onMade: (id: string) => void }

const EMPTY = { statement: '', falsifier: '', confidence: '', tags: '', when: '' }

export function NewHypothesis({ incidentId, onClose, onMade }: Props) {
  const { create } = useHypothesisWrites(incidentId)
  const [draft, setDraft] = useStored(`draft.hypothesis.${incidentId}`, EMPTY)
  const { statement, falsifier, confidence, tags, when = '' } = draft
  const happened = useGiven(when)
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
          disabled={!statement.trim() || wrong || happened === null}
          onClick={() =>
            create.mutate(
              {
                statement: statement.trim(),
                falsifier: falsifier.trim(),
                confidence: percent,
                mechanisms: tagsOf(tags),
                happened_at: happened?.at ?? null,
                happened_precision: happened?.precision ?? null,
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
      {create.isError && (
        <Problem compact error={create.error} what="The hypothesis was not saved" />
      )}
      {FIELDS.map(({ name, label, example, rows }) => (
        <EditableField
          key={name}
          label={label}
          hint={example}
          rows={rows}
          value={draft[name]}
          onChange={(text) => setDraft({ ...draft, [name]: text })}
        />
      ))}
      <EditableField
        label="Confidence in percent"
        hint="Leave empty for no opinion yet"
        problem={wrong ? 'A number from 0 to 100' : undefined}
        inputMode="numeric"
        value={confidence}
        onChange={(text) => setDraft({ ...draft, confidence: text })}
      />
      <HappenedField
        label="When was it proposed?"
        value={when}
        onChange={(text) => setDraft({ ...draft, when: text })}
      />
    </Dialog>
  )
}
