/** What an export replaces by tokens: the four kinds, or a profile of them that an admin named. */
import { useQuery } from '@tanstack/react-query'
import { redactionProfilesQuery } from '@/api/queries'
import type { components } from '@/api/schema'
import { Button } from './Button'
import './redact.css'

export type RedactionKind = components['schemas']['RedactionProfile']['kinds'][number]

export const REDACTION_KINDS: readonly (readonly [RedactionKind, string])[] = [
  ['sql', 'SQL literals'],
  ['hosts', 'Hosts'],
  ['users', 'Users'],
  ['addresses', 'Addresses'],
]

/** Return the value of the `redact` parameter of an export. */
export const redactOf = (kinds: ReadonlySet<RedactionKind>): string =>
  REDACTION_KINDS.filter(([kind]) => kinds.has(kind))
    .map(([kind]) => kind)
    .join(',')

export function RedactionChoice({
  kinds,
  onChange,
}: {
  readonly kinds: ReadonlySet<RedactionKind>
  readonly onChange: (kinds: ReadonlySet<RedactionKind>) => void
}) {
  const profiles = useQuery(redactionProfilesQuery).data ?? []
  const flip = (kind: RedactionKind) => {
    const next = new Set(kinds)
    if (!next.delete(kind)) next.add(kind)
    onChange(next)
  }
  return (
    <>
      {profiles.length > 0 && (
        <div className="redact-choices" role="group" aria-label="Profiles">
          {profiles.map((profile) => {
            const on =
              profile.kinds.length === kinds.size && profile.kinds.every((kind) => kinds.has(kind))
            return (
              <Button
                key={profile.name}
                size="small"
                pressed={on}
                onClick={() => onChange(on ? new Set() : new Set(profile.kinds))}
              >
                {profile.name}
              </Button>
            )
          })}
        </div>
      )}
      <div className="redact-choices">
        {REDACTION_KINDS.map(([kind, words]) => (
          <label key={kind}>
            <input type="checkbox" checked={kinds.has(kind)} onChange={() => flip(kind)} />
            {words}
          </label>
        ))}
      </div>
    </>
  )
}
