import createClient from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import { unchangedDocuments } from './unchanged'

type Paths = {
  '/a': {
    get: { responses: { 200: { content: { 'application/json': { value: number } } } } }
  }
}

function client(answers: readonly ((asked: string | null) => Response)[]) {
  let call = 0
  const api = createClient<Paths>({
    baseUrl: 'http://localhost',
    fetch: (request) => {
      const answer = answers[call++]
      if (!answer) throw new Error('one request too many')
      return Promise.resolve(answer(request.headers.get('If-None-Match')))
    },
  })
  api.use(unchangedDocuments())
  return api
}

const json = (value: number, tag: string | null) =>
  Response.json({ value }, tag ? { headers: { ETag: tag } } : {})

describe('unchangedDocuments', () => {
  it('asks with the tag it knows and answers 304 from memory', async () => {
    const asked: (string | null)[] = []
    const api = client([
      (tag) => (asked.push(tag), json(1, 'W/"x"')),
      (tag) => (asked.push(tag), new Response(null, { status: 304 })),
      (tag) => (asked.push(tag), json(2, 'W/"y"')),
    ])
    const values = []
    for (let turn = 0; turn < 3; turn += 1) values.push((await api.GET('/a')).data?.value)
    expect(values).toEqual([1, 1, 2])
    expect(asked).toEqual([null, 'W/"x"', 'W/"x"'])
  })

  it('forgets a document that failed meanwhile', async () => {
    const api = client([
      () => json(1, 'W/"x"'),
      () => Response.json({}, { status: 404 }),
      (tag) => {
        expect(tag).toBeNull()
        return json(3, null)
      },
    ])
    await api.GET('/a')
    expect((await api.GET('/a')).response.status).toBe(404)
    expect((await api.GET('/a')).data?.value).toBe(3)
  })
})
