/** Where an empty screen leads to: what was uploaded decides what there is to see. */
import { useNavigate } from 'react-router'
import { Button } from './Button'

export function SeeArtifacts() {
  const navigate = useNavigate()
  return (
    <Button variant="primary" onClick={() => void navigate('../artifacts')}>
      See the artifacts
    </Button>
  )
}
