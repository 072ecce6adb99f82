/**
 * Runs an OpenID Connect provider for tests: any login name is a user, and its verified address is
 * <name>@provider.example. Prints its issuer when it listens.
 *
 * Usage: node oidc-provider.mjs CALLBACK
 */
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const callback = process.argv[2]
const server = createServer((request, response) => handle(request, response))
let handle

server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'pileup',
        client_secret: 'a-secret-of-the-tests-only-1234',
        redirect_uris: [callback],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['only for tests'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: `${id} of the provider`,
        email: `${id}@provider.example`,
        email_verified: !id.startsWith('unverified'),
      }),
    }),
    pkce: { required: () => true },
  })
  handle = provider.callback()
  console.log(issuer)
})
process.stdin.on('end', () => process.exit(0)).resume() // with the test that started it
