/** The time and the host that go with the files uploaded next, for those that print neither. */
import { useState } from 'react'
import { type GivenDraft, givenOf, NO_GIVEN } from '@/state/given'
import { Button } from '@/ui/controls/Button'
import { GivenTimeFields } from '@/ui/intake/GivenTimeFields'
import { Dialog } from '@/ui/panels/Dialog'

export function UploadTime({
  draft,
  onChange,
}: {
  readonly draft: GivenDraft
  readonly onChange: (draft: GivenDraft) => void
}) {
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState(draft)
  const given = givenOf(draft)
  const words = [given?.at && `about ${given.at.slice(0, 19).replace('T', ' ')} UTC`, given?.host]
  return (
    <>
      <Button
        pressed={given !== null}
        title="When and where the files that you upload next were taken, if they print neither"
        onClick={() => {
          setTyped(draft)
          setOpen(true)
        }}
      >
        {given ? words.filter(Boolean).join(', ') : 'Time and host'}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Time and host of the files uploaded next"
        width={720}
        footer={
          <>
            <Button
              onClick={() => {
                onChange(NO_GIVEN)
                setOpen(false)
              }}
            >
              No time
            </Button>
            <Button variant="primary" type="submit" form="upload-time" disabled={!givenOf(typed)}>
              Use for uploads
            </Button>
          </>
        }
      >
        <form
          id="upload-time"
          onSubmit={(event) => {
            event.preventDefault()
            onChange(typed)
            setOpen(false)
          }}
        >
          <GivenTimeFields draft={typed} onChange={setTyped} />
          <p className="faint">
            Files that print their own times keep them. The others are placed here, until you leave
            this page; the Clock tab of each changes it.
          </p>
        </form>
      </Dialog>
    </>
  )
}
