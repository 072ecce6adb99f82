{{- define "pileup.name" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* Labels that never change: selectors. Call with (list $ "api"). */}}
{{- define "pileup.selector" -}}
app.kubernetes.io/name: pileup
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "pileup.labels" -}}
{{ include "pileup.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* An image by its digest, else by its tag. Call with (list image default-tag). */}}
{{- define "pileup.image" -}}
{{- $image := index . 0 -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default (index . 1) }}
{{- end -}}
{{- end }}

{{- define "pileup.secret" -}}
{{- required "existingSecret is not set: create a Secret with the keys database-url and broker-password (or broker-url), and name it" .Values.existingSecret -}}
{{- end }}

{{- define "pileup.claim" -}}
{{- .Values.persistence.existingClaim | default (printf "%s-data" (include "pileup.name" .)) -}}
{{- end }}

{{/* What a pod of API or worker is allowed to do. */}}
{{- define "pileup.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "pileup.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "pileup.databaseEnv" -}}
- name: PILEUP_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "pileup.secret" . }}
      key: database-url
- name: PILEUP_SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "pileup.secret" . }}
      key: secret-key
      optional: {{ not .Values.objectStorage.enabled }}
{{- if .Values.objectStorage.enabled }}
- name: PILEUP_S3_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "pileup.secret" . }}
      key: s3-access-key
      optional: true
- name: PILEUP_S3_SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "pileup.secret" . }}
      key: s3-secret-key
      optional: true
{{- end }}
{{- end }}

{{- define "pileup.brokerEnv" -}}
{{- if .Values.valkey.enabled -}}
- name: BROKER_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "pileup.secret" . }}
      key: broker-password
- name: PILEUP_BROKER_URL
  value: redis://:$(BROKER_PASSWORD)@{{ include "pileup.name" . }}-valkey:6379/0
{{- else -}}
- name: PILEUP_BROKER_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "pileup.secret" . }}
      key: broker-url
{{- end }}
{{- end }}

{{- define "pileup.mounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "pileup.volumes" -}}
- name: data
  {{- if .Values.objectStorage.enabled }}
  emptyDir: {} # drafts, and copies of what was read lately
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ include "pileup.claim" . }}
  {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 2Gi
{{- end }}

{{/* Brings the database to this version; several at once wait for each other. */}}
{{- define "pileup.migrate" -}}
- name: migrate
  image: {{ include "pileup.image" (list .Values.image .Chart.AppVersion) }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [pileup, migrate]
  envFrom:
    - configMapRef:
        name: {{ include "pileup.name" . }}
  env:
    {{- include "pileup.databaseEnv" . | nindent 4 }}
  securityContext:
    {{- include "pileup.containerSecurity" . | nindent 4 }}
  resources:
    requests: { cpu: 100m, memory: 256Mi }
    limits: { cpu: "1", memory: 1Gi }
  volumeMounts:
    {{- include "pileup.mounts" . | nindent 4 }}
{{- end }}

{{- define "pileup.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
