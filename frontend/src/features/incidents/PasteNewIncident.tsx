/** The paste box of the list of incidents: pasted text becomes a new incident. */
import { closePasteBox, openPasteBox, setPastedText, usePasteBox } from '@/state/pasteBox'
import { PasteDialog } from '@/ui/intake/PasteDialog'
import { usePaste } from '@/ui/intake/usePaste'
import type { useIncidentFromFiles } from './queries'

export function PasteNewIncident({
  create,
  enabled,
}: {
  readonly create: ReturnType<typeof useIncidentFromFiles>
  readonly enabled: boolean
}) {
  const box = usePasteBox()
  usePaste({ onText: openPasteBox, onFiles: (files) => create.mutate({ files }) }, enabled)
  return (
    <PasteDialog
      open={box.open}
      onOpenChange={(open) => (open ? openPasteBox() : closePasteBox())}
      text={box.text}
      onText={setPastedText}
      taken={[]}
      onStore={(file, understood) =>
        create.mutate({ files: [file], title: `Pasted: ${understood?.title ?? 'text'}` })
      }
    />
  )
}
