/** Queries of samples, and mutations that create incidents. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { NewIncident } from '@/api/schema'
import { enqueueUploads, type PathFile } from '@/state/uploads'
import { commonName } from '@/ui/controls/drop'

export const samplesQuery = queryOptions({
  queryKey: keys.samples,
  queryFn: () => unwrap(api.GET('/api/v1/samples')),
  staleTime: Infinity,
})

export const listViewsQuery = queryOptions({
  queryKey: keys.listViews,
  queryFn: () => unwrap(api.GET('/api/v1/list-views')),
  staleTime: Infinity,
})

export const keepListView = ({ name, query }: { readonly name: string; readonly query: string }) =>
  unwrap(api.PUT('/api/v1/list-views', { body: { name, query } }))

export const dropListView = (id: string) =>
  unwrap(api.DELETE('/api/v1/list-views/{view_id}', { params: { path: { view_id: id } } }))

/** Return the mutation that creates an incident and opens it. */
export function useCreateIncident() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (body: NewIncident) => unwrap(api.POST('/api/v1/incidents', { body })),
    onSuccess: (incident) => {
      void client.invalidateQueries({ queryKey: keys.incidents })
      void navigate(`/incidents/${incident.id}/artifacts`)
    },
  })
}

/** Return the mutation that creates an incident named after the dropped files and uploads them. */
export function useIncidentFromFiles() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async ({ files, title }: { files: readonly PathFile[]; title?: string }) => {
      const incident = await unwrap(
        api.POST('/api/v1/incidents', {
          body: { title: (title ?? commonName(files)).slice(0, 300) },
        }),
      )
      enqueueUploads(incident.id, files)
      return incident
    },
    onSuccess: (incident) => {
      void client.invalidateQueries({ queryKey: keys.incidents })
      void navigate(`/incidents/${incident.id}/artifacts`)
    },
  })
}

/** Return the mutation that loads a sample, or opens the incident that already has it. */
export function useLoadSample() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.POST('/api/v1/samples/{sample_id}/load', { params: { path: { sample_id: id } } })),
    onSuccess: (incident) => {
      void client.invalidateQueries({ queryKey: keys.incidents })
      void client.invalidateQueries({ queryKey: keys.samples })
      void navigate(`/incidents/${incident.id}/overview`)
    },
  })
}

/** Return the mutation that imports a bundle of `pileup export` and opens the incident. */
export function useImportBundle() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (bundle: File) =>
      unwrap(
        api.POST('/api/v1/incidents/import', {
          // The OpenAPI document declares only that the body is binary.
          body: bundle as unknown as string,
          bodySerializer: (body: unknown) => body as Blob,
          headers: { 'Content-Type': 'application/zip' },
        }),
      ),
    onSuccess: (incident) => {
      void client.invalidateQueries({ queryKey: keys.incidents })
      void navigate(`/incidents/${incident.id}/overview`)
    },
  })
}
