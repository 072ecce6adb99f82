/** RFC 9457 problem documents, as the errors that the UI shows. */

type FieldError = { readonly field: string; readonly message: string }

const UNREACHED = 0
const DEFECT = -1

/** An error of the server or of the connection, with the advice of the server where it gives any. */
export class ApiProblem extends Error {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly errors: readonly FieldError[]
  /** Of a 409: the current record, to be merged with the draft. */
  readonly current: unknown

  constructor(status: number, title: string, detail: string, body: Record<string, unknown> = {}) {
    super(detail || title)
    this.name = 'ApiProblem'
    this.status = status
    this.title = title
    this.detail = detail
    this.errors = Array.isArray(body['errors']) ? (body['errors'] as FieldError[]) : []
    this.current = body['current']
  }

  get isConflict() {
    return this.status === 409
  }

  /** Whether the server, or a proxy in front of it, did not respond. */
  get isUnreached() {
    return this.status === UNREACHED || [502, 503, 504].includes(this.status)
  }
}

/** Build an ApiProblem from a response body, which may not be a problem document. */
export function problemFrom(status: number, body: unknown): ApiProblem {
  if (typeof body === 'object' && body !== null) {
    const fields = body as Record<string, unknown>
    const title = typeof fields['title'] === 'string' ? fields['title'] : `HTTP ${status}`
    const detail = typeof fields['detail'] === 'string' ? fields['detail'] : ''
    return new ApiProblem(status, title, detail, fields)
  }
  return new ApiProblem(
    status,
    `The server answered ${status}`,
    'The response has no details. Try again; if the error persists, check the log of the server.',
  )
}

/** Whether the error says that code or styles of the app could not be loaded. */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported|importing a module|module script|preload CSS/i.test(error.message)

/** Turn any thrown value into an ApiProblem. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  // Browsers throw these messages for a failed request; any other TypeError is a defect.
  const unanswered = error instanceof TypeError && /fetch|network|load failed/i.test(error.message)
  if (unanswered || isMissingPart(error)) {
    return new ApiProblem(
      UNREACHED,
      'The server cannot be reached',
      'Nothing was lost. Check that Pileup is still running and that the network is up. This page continues automatically when the server responds again.',
    )
  }
  const name = error instanceof Error ? error.message : String(error)
  return new ApiProblem(DEFECT, 'A defect in the page', name)
}
