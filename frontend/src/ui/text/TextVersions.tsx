/** The history of a text: author, time and difference of each version; restore and rename. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { TextVersion } from '@/api/schema'
import { formatNumber } from '@/format'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { Dialog } from '@/ui/panels/Dialog'
import { folded, lineDiff } from './lineDiff'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import './text-versions.css'

type Place = { readonly incidentId: string; readonly textKey: string }

const versionsKey = ({ incidentId, textKey }: Place) => keys.of(incidentId, 'texts', textKey)

const versionsQuery = (place: Place) =>
  queryOptions({
    queryKey: versionsKey(place),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/texts/{key}/versions', {
          params: { path: { incident_id: place.incidentId, key: place.textKey } },
        }),
      ),
    staleTime: 0,
  })

const textQuery = (place: Place, version: TextVersion) =>
  queryOptions({
    // A version grows while its author goes on writing.
    queryKey: [...versionsKey(place), version.id, version.seq],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/texts/{key}/versions/{version_id}', {
          params: {
            path: { incident_id: place.incidentId, key: place.textKey, version_id: version.id },
          },
        }),
      ),
  })

export function TextVersions({
  label,
  now,
  mayWrite,
  onClose,
  ...place
}: Place & {
  /** Name of the text, for the title. */
  readonly label: string
  /** The current text. */
  readonly now: string
  readonly mayWrite: boolean
  readonly onClose: () => void
}) {
  const { data, error, isLoadingError, refetch } = useQuery(versionsQuery(place))
  const [chosen, choose] = useState<string | null>(null)
  const version = data?.find((item) => item.id === chosen) ?? data?.[0]
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`History: ${label}`}
      width={1040}
    >
      {isLoadingError ? (
        <Problem
          error={error}
          what="The history could not be read"
          onRetry={() => void refetch()}
        />
      ) : !data ? (
        <SkeletonRows rows={5} />
      ) : !version ? (
        <EmptyState compact title="No versions yet">
          Each session of edits by one person becomes a version.
        </EmptyState>
      ) : (
        <div className="versions">
          <ul className="versions-list scroll" aria-label="Versions">
            {data.map((item) => (
              <li key={item.id}>
                <button
                  type="button"
                  className={cx('version', item.id === version.id && 'version-chosen')}
                  aria-pressed={item.id === version.id}
                  onClick={() => choose(item.id)}
                >
                  {item.name && <strong>{item.name}</strong>}
                  <span>{item.by_name}</span>
                  <span className="muted">
                    <Time at={item.at} />
                  </span>
                  <span className="faint">{formatNumber(item.characters)} characters</span>
                </button>
              </li>
            ))}
          </ul>
          <Version
            key={version.id}
            place={place}
            version={version}
            now={now}
            mayWrite={mayWrite}
            onRestored={onClose}
          />
        </div>
      )}
    </Dialog>
  )
}

function Version({
  place,
  version,
  now,
  mayWrite,
  onRestored,
}: {
  readonly place: Place
  readonly version: TextVersion
  readonly now: string
  readonly mayWrite: boolean
  readonly onRestored: () => void
}) {
  const client = useQueryClient()
  const then = useQuery(textQuery(place, version))
  const [name, setName] = useState<string | null>(null)
  const path = { incident_id: place.incidentId, key: place.textKey, version_id: version.id }
  const refresh = () => client.invalidateQueries({ queryKey: versionsKey(place) })
  const call = useMutation({
    mutationFn: (to: string | null) =>
      unwrap(
        api.PATCH('/api/v1/incidents/{incident_id}/texts/{key}/versions/{version_id}', {
          params: { path },
          body: { name: to },
        }),
      ),
    onSuccess: () => {
      setName(null)
      return refresh()
    },
  })
  const restore = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/texts/{key}/versions/{version_id}/restore', {
          params: { path },
        }),
      ),
    onSuccess: () => {
      onRestored()
      return refresh()
    },
  })
  const failed = call.error ?? restore.error
  return (
    <div className="version-shown">
      {mayWrite &&
        (name === null ? (
          <div className="version-acts">
            <Button
              variant="primary"
              size="small"
              disabled={then.data === undefined || then.data.text === now}
              busy={restore.isPending}
              onClick={() => restore.mutate()}
            >
              Restore this version
            </Button>
            <Button size="small" onClick={() => setName(version.name ?? '')}>
              {version.name ? 'Rename' : 'Add a name'}
            </Button>
            <span className="faint">The current text stays in the history.</span>
          </div>
        ) : (
          <form
            className="version-acts"
            onSubmit={(event) => {
              event.preventDefault()
              call.mutate(name.trim() || null)
            }}
          >
            <input
              className="input"
              aria-label="Name of the version"
              placeholder="Before the review"
              autoFocus
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <Button type="submit" size="small" busy={call.isPending}>
              Save
            </Button>
            <Button size="small" variant="ghost" onClick={() => setName(null)}>
              Cancel
            </Button>
          </form>
        ))}
      {failed && <Problem compact error={failed} what="The change was not saved" />}
      {then.isLoadingError ? (
        <Problem compact error={then.error} what="The version could not be read" />
      ) : !then.data ? (
        <SkeletonRows rows={4} />
      ) : (
        <Difference then={then.data.text} now={now} />
      )}
    </div>
  )
}

function Difference({ then, now }: { readonly then: string; readonly now: string }) {
  const lines = useMemo(() => folded(lineDiff(then, now)), [then, now])
  if (then === now) return <p className="muted">Same as the current text.</p>
  return (
    <>
      <p className="faint version-legend">
        <span className="version-minus">− this version</span>{' '}
        <span className="version-plus">+ current text</span>
      </p>
      <div
        className="version-diff scroll"
        role="group"
        aria-label="Difference from the current text"
        tabIndex={0}
      >
        {lines.map((line, at) =>
          line === null ? (
            <div key={at} className="faint">
              ⋯
            </div>
          ) : (
            <div
              key={at}
              className={cx(
                line.mark === '-' && 'version-minus',
                line.mark === '+' && 'version-plus',
              )}
            >
              <span aria-hidden="true">{line.mark === '-' ? '−' : line.mark}</span>
              {line.mark !== ' ' && (
                <span className="visually-hidden">{line.mark === '-' ? 'then:' : 'now:'}</span>
              )}
              <span>{line.line || ' '}</span>
            </div>
          ),
        )}
      </div>
    </>
  )
}
