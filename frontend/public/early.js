// Before the program is here: the theme of the first paint, and the answers that it asks for first.
// A file of its own because of the CSP; src/api/early.ts takes the answers.
try {
  var theme = localStorage.getItem('pileup.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // storage is off: the system's theme it is
}
var ofIncident = /^\/incidents\/[0-9a-f-]{36}(?=\/|$)/.exec(location.pathname)
// Who is not signed in gets no answers: their cookie is not there.
var signedIn = /(?:^|;\s*)(?:__Host-)?pileup_csrf=./.test(document.cookie)
if (signedIn && ofIncident) {
  var incident = location.origin + '/api/v1' + ofIncident[0]
  window.pileupEarly = new Map(
    [location.origin + '/api/v1/session', incident, incident + '/overview'].map(function (url) {
      return [url, fetch(url)]
    }),
  )
}
