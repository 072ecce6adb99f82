/** The paste box of an incident, opened by Ctrl+V anywhere: what is stored becomes an artifact. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { artifactsQuery, useMay } from '@/api/queries'
import { closePasteBox, openPasteBox, setPastedText, usePasteBox } from '@/state/pasteBox'
import { enqueueUploads, type PathFile } from '@/state/uploads'
import { PasteDialog } from '@/ui/intake/PasteDialog'
import { usePaste } from '@/ui/intake/usePaste'

export function PasteBox({ incidentId }: { readonly incidentId: string }) {
  const mayWrite = useMay('contributor')
  const box = usePasteBox()
  const navigate = useNavigate()
  const artifacts = useQuery({ ...artifactsQuery(incidentId), enabled: box.open })
  const store = (files: PathFile[]) => {
    enqueueUploads(incidentId, files)
    void navigate(`/incidents/${incidentId}/artifacts`)
  }
  usePaste({ onText: openPasteBox, onFiles: store }, mayWrite)
  if (!mayWrite) return null
  return (
    <PasteDialog
      open={box.open}
      onOpenChange={(open) => (open ? openPasteBox() : closePasteBox())}
      text={box.text}
      onText={setPastedText}
      taken={(artifacts.data?.items ?? []).map((item) => item.path)}
      onStore={(file) => store([file])}
    />
  )
}
