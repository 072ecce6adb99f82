/** Samples, and the making of incidents. */
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

/** Makes an incident and opens it. */
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

/** Makes an incident named after what was dropped and begins to upload into it. */
export function useIncidentFromFiles() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async (files: readonly PathFile[]) => {
      const incident = await unwrap(
        api.POST('/api/v1/incidents', { body: { title: commonName(files).slice(0, 300) } }),
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

/** Loads a sample, or opens the incident that it was loaded into before. */
export function useLoadSample() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.POST('/api/v1/samples/{sample_id}/load', { params: { path: { sample_id: id } } })),
    onSuccess: (incident) => {
      void client.invalidateQueries({ queryKey: keys.incidents })
      void navigate(`/incidents/${incident.id}/overview`)
    },
  })
}

/** Makes an incident of a bundle that `pileup export` wrote, and opens it. */
export function useImportBundle() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (bundle: File) =>
      unwrap(
        api.POST('/api/v1/incidents/import', {
          // The document can only say that the body is bytes.
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
