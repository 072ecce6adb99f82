/** The page of those who signed in with one factor where two are demanded. */
import { useQueryClient } from '@tanstack/react-query'
import { keys } from '@/api/keys'
import { SecondFactor } from '@/features/settings/SecondFactor'
import { SigninPanel } from '@/features/signin/SigninPanel'
import { Button } from '@/ui/controls/Button'

export function EnrollScreen() {
  const client = useQueryClient()
  return (
    <SigninPanel>
      <p>This installation requires a second factor. Set it up to continue.</p>
      <SecondFactor />
      <div>
        <Button onClick={() => void client.resetQueries({ queryKey: keys.session })}>
          Continue
        </Button>
      </div>
    </SigninPanel>
  )
}
