/** The text fields of a record with their drafts, and the choice after a conflict. */
import { Button } from './Button'
import { EditableField } from './EditableField'
import type { FieldSpec } from './useDrafts'

type Fields<Name extends string> = readonly {
  readonly spec: Pick<FieldSpec<Name, never, never>, 'name' | 'label' | 'hint' | 'rows' | 'quote'>
  readonly text: string
  readonly saved: string
  readonly isChanged: boolean
}[]

type Drafts<Name extends string> = {
  readonly fields: Fields<Name>
  readonly isChanged: boolean
  readonly isSaving: boolean
  readonly isConflict: boolean
  readonly type: (name: Name, text: string) => void
  readonly save: () => void
  readonly saveOverTheirs: () => void
  readonly discard: () => void
}

export function DraftFields<Name extends string>({
  drafts,
  readOnly,
}: {
  readonly drafts: Drafts<Name>
  readonly readOnly: boolean
}) {
  return (
    <>
      {drafts.fields.map(({ spec, text }) => (
        <EditableField
          key={spec.name}
          label={spec.label}
          hint={spec.hint}
          rows={spec.rows}
          readOnly={readOnly}
          value={text}
          onChange={(next) => drafts.type(spec.name, next)}
        />
      ))}
      {drafts.isChanged && (
        <Button size="small" variant="primary" busy={drafts.isSaving} onClick={drafts.save}>
          Save
        </Button>
      )}
    </>
  )
}

/** The conflict message: quotes the saved text of every edited field. */
export function DraftConflict<Name extends string>({ drafts }: { readonly drafts: Drafts<Name> }) {
  if (!drafts.isConflict) return null
  return (
    <div className="draft-conflict" role="alert">
      <strong>Somebody else saved first.</strong> Your text is still below. The saved text is now:
      {drafts.fields
        .filter((field) => field.isChanged)
        .map(({ spec, saved }) => (
          <blockquote key={spec.name}>
            {spec.quote ? `${spec.quote[0]}: ${saved || spec.quote[1]}` : saved}
          </blockquote>
        ))}
      <Button size="small" onClick={drafts.saveOverTheirs}>
        Save mine
      </Button>{' '}
      <Button size="small" onClick={drafts.discard}>
        Use theirs
      </Button>
    </div>
  )
}
