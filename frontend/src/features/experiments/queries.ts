/** Queries and writes of experiments and symptoms. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ifMatch, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { refresh } from '@/api/queries'
import type { components } from '@/api/schema'

export type Experiment = components['schemas']['Experiment']
export type NewExperiment = components['schemas']['NewExperiment']
export type Observed = components['schemas']['Observed']
export type Finish = components['schemas']['Finish']
export type Symptom = components['schemas']['Symptom']
export type SymptomAnswer = components['schemas']['SymptomAnswer']
export type NewSymptom = components['schemas']['NewSymptom']

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

export const hypothesisNamesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'hypotheses'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/hypotheses', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** Query the result of a run, which the server computes from the attached files. */
export function observedQuery(id: string, experiment: Experiment) {
  const files = experiment.artifacts.map((artifact) => artifact.id)
  return queryOptions({
    queryKey: keys.of(id, 'experiments', experiment.id, 'observed', experiment.revision, files),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/experiments/{experiment_id}/observed', {
          params: { path: { experiment_id: experiment.id } },
        }),
      ),
    enabled: experiment.state === 'started' && files.length > 0,
    retry: false,
    staleTime: 60_000,
  })
}

export const useObserved = (id: string, experiment: Experiment) =>
  useQuery(observedQuery(id, experiment))

/** Query the symptoms added by users, with their result in the incident. */
export const symptomsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'experiments', 'symptoms'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/symptoms', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** Query the symptom results of one run. */
export const runSymptomsQuery = (
  id: string,
  experiment: Experiment,
  symptoms: readonly Symptom[],
) =>
  queryOptions({
    queryKey: keys.of(id, 'experiments', experiment.id, 'symptoms', {
      files: experiment.artifacts.map((artifact) => artifact.id),
      symptoms: symptoms.map((symptom) => [symptom.id, symptom.revision]),
    }),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/experiments/{experiment_id}/symptoms', {
          params: { path: { experiment_id: experiment.id } },
        }),
      ),
    enabled: symptoms.length > 0,
    retry: false,
    staleTime: 60_000,
  })

export function useSymptomWrites(id: string) {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: keys.of(id, 'experiments') })
  return {
    create: useMutation({
      mutationFn: (body: NewSymptom) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/symptoms', {
            params: { path: { incident_id: id } },
            body,
          }),
        ),
      onSuccess,
    }),
    edit: useMutation({
      mutationFn: ({ was, body }: { was: Symptom; body: NewSymptom }) =>
        unwrap(
          api.PATCH('/api/v1/symptoms/{symptom_id}', {
            params: { path: { symptom_id: was.id }, header: ifMatch(was.revision) },
            body,
          }),
        ),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (symptom: string) =>
        unwrap(
          api.DELETE('/api/v1/symptoms/{symptom_id}', {
            params: { path: { symptom_id: symptom } },
          }),
        ),
      onSuccess,
    }),
  }
}

export const findingsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'findings'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/findings', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const seriesNamesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'series', 'names'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/series', {
          params: { path: { incident_id: id } },
        }),
      ),
    select: (found) => found.map((item) => item.id),
  })

export function useExperimentWrites(id: string) {
  const client = useQueryClient()
  const onSuccess = () => refresh(client, id, 'experiments')
  const path = (experiment: string) => ({ path: { experiment_id: experiment } })
  return {
    create: useMutation({
      mutationFn: (body: NewExperiment) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/experiments', {
            params: { path: { incident_id: id } },
            body,
          }),
        ),
      onSuccess,
    }),
    change: useMutation({
      mutationFn: (write: { experiment: Experiment; change: Partial<NewExperiment> }) =>
        unwrap(
          api.PATCH('/api/v1/experiments/{experiment_id}', {
            params: { ...path(write.experiment.id), header: ifMatch(write.experiment.revision) },
            body: write.change as components['schemas']['ExperimentChange'],
          }),
        ),
      onSuccess,
    }),
    start: useMutation({
      mutationFn: (experiment: string) =>
        unwrap(api.POST('/api/v1/experiments/{experiment_id}/start', { params: path(experiment) })),
      onSuccess,
    }),
    finish: useMutation({
      mutationFn: (write: { experiment: string; body: Finish }) =>
        unwrap(
          api.POST('/api/v1/experiments/{experiment_id}/finish', {
            params: path(write.experiment),
            body: write.body,
          }),
        ),
      onSuccess,
    }),
    attach: useMutation({
      mutationFn: (write: { experiment: string; artifacts: string[] }) =>
        unwrap(
          api.PUT('/api/v1/experiments/{experiment_id}/artifacts', {
            params: path(write.experiment),
            body: { artifact_ids: write.artifacts },
          }),
        ),
      onSuccess,
    }),
  }
}
