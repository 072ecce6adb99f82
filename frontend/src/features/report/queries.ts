/** Queries and writes of the report; every key is in the domain 'report', which server events refresh. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, ifMatch, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'

export type Report = components['schemas']['Report']
export type Section = components['schemas']['ReportSection']
export type PageSection = components['schemas']['PageSection']
export type Check = components['schemas']['ReportCheck']
export type Insertable = components['schemas']['Insertable']
export type Action = components['schemas']['Action']
export type ActionChange = components['schemas']['ActionChange']
export type Release = components['schemas']['Release']

export const reportQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'report', 'all'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/report', {
          params: { path: { incident_id: id } },
        }),
      ),
    placeholderData: (before: Report | undefined) => before,
  })

/** Query every section as readers see it. */
export const pageQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'report', 'page'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/report/page', {
          params: { path: { incident_id: id } },
        }),
      ),
    placeholderData: (before: PageSection[] | undefined) => before,
  })

/** Render a text that is not in the page yet. */
export const previewQuery = (id: string, section: string, body: string) =>
  queryOptions({
    queryKey: keys.of(id, 'report', 'preview', section, body),
    queryFn: () =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/report/preview', {
          params: { path: { incident_id: id } },
          body: { body_md: body, section },
        }),
      ),
  })

export const experimentsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'experiments'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/experiments', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const releasesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'report', 'releases'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/releases', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const diffQuery = (id: string, before: string, after: string) =>
  queryOptions({
    queryKey: keys.of(id, 'report', 'diff', before, after),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/releases/diff', {
          params: { path: { incident_id: id }, query: { before, after } },
        }),
      ),
  })

export const redactionQuery = (id: string, query: { redact: string; release?: string }) =>
  queryOptions({
    queryKey: keys.of(id, 'report', 'redaction', query),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/report/redaction', {
          params: { path: { incident_id: id }, query },
        }),
      ),
    enabled: query.redact !== '',
  })

/** Build a mutation that refetches the report afterwards; those of one scope run one after the other. */
function useWrite<T, R>(id: string, write: (input: T) => Promise<R>, scope?: string) {
  const client = useQueryClient()
  return useMutation({
    ...(scope === undefined ? {} : { scope: { id: scope } }),
    mutationFn: write,
    onSettled: () => client.invalidateQueries({ queryKey: keys.of(id, 'report') }),
  })
}

export const useTemplate = (id: string, revision: number) =>
  useWrite(id, (template: string) =>
    unwrap(
      api.PUT('/api/v1/incidents/{incident_id}/report/template', {
        params: { path: { incident_id: id }, header: ifMatch(revision) },
        body: { template },
      }),
    ),
  )

export const useAddAction = (id: string) =>
  useWrite(id, (body: components['schemas']['NewAction']) =>
    unwrap(
      api.POST('/api/v1/incidents/{incident_id}/actions', {
        params: { path: { incident_id: id } },
        body,
      }),
    ),
  )

/** Change one action: edits leave one after the other, each with the newest revision. */
export function useChangeAction(id: string, action: Action) {
  /** What was saved here last: a second edit may leave before the list was read again. */
  const saved = useRef(0)
  return useWrite(
    id,
    async (body: ActionChange) => {
      const { revision } = await unwrap(
        api.PATCH('/api/v1/actions/{action_id}', {
          params: {
            path: { action_id: action.id },
            header: ifMatch(Math.max(action.revision, saved.current)),
          },
          body,
        }),
      )
      saved.current = revision
    },
    `actions/${action.id}`,
  )
}

export const useDeleteAction = (id: string) =>
  useWrite(id, (action: Action) =>
    unwrap(
      api.DELETE('/api/v1/actions/{action_id}', { params: { path: { action_id: action.id } } }),
    ),
  )

export const useSubmit = (id: string) =>
  useWrite(id, (note: string) =>
    unwrap(
      api.POST('/api/v1/incidents/{incident_id}/releases', {
        params: { path: { incident_id: id } },
        body: { note },
      }),
    ),
  )

export const useApprove = (id: string) =>
  useWrite(id, (release: Release) =>
    unwrap(
      api.POST('/api/v1/releases/{release_id}/approve', {
        params: { path: { release_id: release.id } },
        body: { sha256: release.sha256, note: '' },
      }),
    ),
  )

export const useWithdraw = (id: string) =>
  useWrite(id, (release: Release) =>
    unwrap(
      api.POST('/api/v1/releases/{release_id}/withdraw', {
        params: { path: { release_id: release.id } },
        body: { reason: '' },
      }),
    ),
  )
